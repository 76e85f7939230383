import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainByteLevelBpe } from '@seamstream/tokenizer';
import { fakeWorld } from '../command-runtime.fake.js';

const paragraph = (context: string, answer: string) => ({
  context,
  qas: [{ id: context, question: 'SECRET-QUESTION?', answers: [{ text: answer, answer_start: 0 }] }],
});
const SQUAD = {
  version: '1.1',
  data: [
    {
      title: 'Ada_Lovelace',
      paragraphs: ['Ada was born in 1815.', 'She died in 1852.'].map((text) => paragraph(text, 'x')),
    },
  ],
};
const GOOD =
  'Ada was born in the nineteenth century.\nAda was 36 or 37 when she died.\nAda died in 1852, born in 1815.';

async function world() {
  const made = await fakeWorld();
  made.files.set('squad.json', Buffer.from(JSON.stringify(SQUAD)));
  made.files.set('good.txt', Buffer.from(GOOD));
  made.files.set('short.txt', Buffer.from('Ada.'));
  return made;
}

describe('seam edits preview', () => {
  it('shows prompts without the questions, and of an edit its documents and what the filters say', async () => {
    const there = await world();
    expect(await there.seam('edits', 'preview', 'squad.json', '--kind', 'facts', '--edit', 'good.txt')).toBe(0);
    const output = there.takeOutput();
    expect(output).toMatch(/^kind facts@[0-9a-f]{64}\n\nrow 1: Ada Lovelace\nprompt\nRead the passage\./);
    expect(output).toContain('document 1\nAda Lovelace\nAda was born in the nineteenth century.\n');
    expect(output).toContain(
      'document 4\nAda Lovelace\nAda was born in 1815.\nThe filters keep it (tokens estimated).\n',
    );
    expect(output).toContain('row 2: Ada Lovelace\n');
    expect(output).not.toContain('SECRET-QUESTION');
  });

  it('gives the same as JSON, with a dialogue, the reason and its figures, tokens as the tokenizer counts them', async () => {
    const there = await world();
    there.files.set('tokenizer.json', Buffer.from(JSON.stringify(trainByteLevelBpe(['a b'], 300, ['<|endoftext|>']))));
    const args = ['--row', '2', '--edit', 'short.txt', '--tokenizer', 'tokenizer.json', '--json'];
    expect(await there.seam('edits', 'preview', 'squad.json', ...args)).toBe(0);
    const [preview] = there.takeJson();
    expect(preview).toMatchObject({
      tokens: 'counted',
      passages: [
        {
          ...{ row: 2, title: 'Ada Lovelace', messages: [{ role: 'user' }] },
          documents: ['Ada Lovelace\nAda.', 'Ada Lovelace\nShe died in 1852.'],
          refused: { reason: 'too_short', figures: { tokens: 4 } },
        },
      ],
    });
    expect((preview as { passages: unknown[] }).passages).toHaveLength(1);
  });

  it('takes a kind of your own, and the passage alone', async () => {
    const there = await world();
    const file = join(mkdtempSync(join(tmpdir(), 'kind-')), 'mine.json');
    writeFileSync(file, JSON.stringify({ template: 'Sum up {passage}' }));
    expect(await there.seam('edits', 'preview', 'squad.json', '--template', file, '--limit', '1')).toBe(0);
    expect(there.takeOutput()).toMatch(
      /^kind mine@.*\n\nrow 1: Ada Lovelace\nprompt\nSum up Ada was born in 1815\.\n$/,
    );
    expect(await there.seam('edits', 'preview', 'squad.json', '--kind', 'passage', '--limit', '1')).toBe(0);
    expect(there.takeOutput()).toContain('Nothing is asked.\ndocument 1\nAda Lovelace\nAda was born in 1815.\n');
  });

  it('writes nothing that would steer a terminal', async () => {
    const there = await world();
    there.files.set(
      'p.jsonl',
      Buffer.from(JSON.stringify({ passage: 'a\u001b[2Jb', questions: [{ question: 'Q?', reference: 'r' }] })),
    );
    there.files.set('e.txt', Buffer.from('\u001b[31mred'));
    expect(await there.seam('edits', 'preview', 'p.jsonl', '--edit', 'e.txt')).toBe(0);
    expect(there.takeOutput()).not.toContain('\u001b');
  });

  it.each([
    [['squad.json', '--kind', 'implication'], 'did you mean implications?'],
    [['squad.json', '--row', '9'], 'Cannot preview row 9 of squad.json: expected a passage'],
    [['none.json'], 'none.json'],
    [['good.txt'], 'Cannot preview good.txt'],
    [['bad.json'], 'Cannot preview row 1 of bad.json: expected qas.0.answers'],
    [['squad.json', '--tokenizer', 'good.txt'], 'Cannot read the tokenizer good.txt'],
  ])('refuses %j', async (args, message) => {
    const there = await world();
    there.files.set(
      'bad.json',
      Buffer.from('{"data":[{"title":"X","paragraphs":[{"context":"C.","qas":[{"question":"Q?"}]}]}]}'),
    );
    expect(await there.seam('edits', 'preview', ...args)).not.toBe(0);
    expect(there.takeErrors()).toContain(message);
  });
});
