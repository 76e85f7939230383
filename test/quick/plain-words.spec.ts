import { Linter } from 'eslint';
import { HABITS, houseRules } from '../../scripts/lint/plain-words.mjs';

const linter = new Linter();
/** What the rule says of a source, one message each. */
const messagesOf = (source: string, options: { readonly codeIn?: string[] } = {}): string[] =>
  linter
    .verify(source, [{ plugins: { house: houseRules }, rules: { 'house/plain-words': ['error', options] } }])
    .map(({ message, line }) => `${line}: ${message}`);

/** One sentence of each habit, as it was once written. */
const PLANTED: Readonly<Record<string, string>> = {
  whoever: 'Whoever takes it last has it.',
  whatever: 'It is read whatever its size.',
  anew: 'The token is drawn anew.',
  'in hand': 'What is in hand is marked.',
  'takes leave': 'The client takes leave of its broker.',
  'of its own': 'It has a folder of its own.',
  'is none': 'A record that is none is skipped.',
  'came, comes': 'Cannot read: expected 3 bytes, came 2.',
  'told, tells': 'The server told its name.',
  'goes on': 'The loop goes on.',
  'stands in': 'The offset stands in the header.',
  beside: 'The file beside it is read.',
  nobody: 'It waits until somebody asks.',
};

describe('the rule of plain words', () => {
  it.each(HABITS.map(({ name, instead }) => [name, instead] as const))(
    'finds "%s" in a comment, in a text and in a template, and suggests another word',
    (name, instead) => {
      const planted = PLANTED[name]!;
      for (const source of [`// ${planted}`, `/** ${planted} */`, `f('${planted}');`, `f(\`\${1} ${planted}\`);`]) {
        const messages = messagesOf(`\n${source}`);
        expect(messages).toHaveLength(1);
        expect(messages[0]).toMatch(/^2: Cannot keep "/);
        expect(messages[0]).toContain(`Write ${instead}.`);
      }
    },
  );

  it('has a planted sentence for each habit', () => {
    expect(Object.keys(PLANTED).sort()).toEqual(HABITS.map(({ name }) => name).sort());
  });

  it('sees an error across the values of its template', () => {
    expect(messagesOf('f(`expected ${a}, came ${b}`);')).toHaveLength(1);
  });

  it('reports each of several words, at the line of each', () => {
    expect(messagesOf('/*\n * The loop goes on.\n * It is drawn anew.\n */').map((each) => each[0])).toEqual([
      '2',
      '3',
    ]);
  });

  it.each([
    ['a name or a value on the wire', "f('told', { anew: 1 }, `beside`);"],
    ['code', 'const goesOn = whoever.told;'],
    ['code of Python in a text', "f('assert run(never) is None');"],
    ['words that only begin or end alike', '// besides, untold, a standing inquiry, the ongoing run'],
    ['motion that is meant', '// The request came from a client and comes back.'],
  ])('leaves %s alone', (_, source) => {
    expect(messagesOf(source)).toEqual([]);
  });

  it('leaves alone what is named as code, and nothing next to it', () => {
    const row = "f({ control: 'It is told.', from: 'return told ?? 1', to: `told || ${1}` });";
    expect(messagesOf(row)).toHaveLength(3);
    expect(messagesOf(row, { codeIn: ['from', 'to'] })).toEqual([expect.stringContaining('Cannot keep "told"')]);
  });
});
