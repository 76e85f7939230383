import { Random } from '@seamstream/kernel';
import { givesAnswerAway } from './leaks.js';

const CASES = Number(process.env.SEAM_TEST_LEAKS ?? 2000);

const gives = (reference: string, kind: string, ...texts: readonly string[]): boolean =>
  givesAnswerAway(JSON.stringify({ concepts: texts, strategy: ['look twice'], pitfalls: ['none'] }), {
    ...{ reference, prompt: 'Which one is it?' },
    verifier: { kind, version: '1', options: {} },
  });

describe('an answer of words in an entry', () => {
  it(`is found in ${CASES} of ${CASES} disguises`, () => {
    const random = Random.of('disguised words', '1');
    const missed = Array.from({ length: CASES }, () => disguised(random)).filter(
      ({ reference, texts }) => !gives(reference, 'exact', ...texts),
    );
    expect(missed).toEqual([]);
  });

  it(`is not found in ${CASES} of ${CASES} texts of other words`, () => {
    const random = Random.of('innocent words', '1');
    const accused = Array.from({ length: CASES }, () => innocent(random)).filter(({ reference, texts }) =>
      gives(reference, 'exact', ...texts),
    );
    expect(accused).toEqual([]);
  });

  it.each([
    ['oak', 'oaken boards'],
    ['red', 'a hundred of them'],
    ['(13, 4)', 'take 134 boards'],
    ['12:30', 'about 1230 of them'],
    ['\\sqrt{12}', 'as \\sqrt{120}, not less'],
    ['x+1', 'it is max + 1'],
    ['x+1', 'it is x + 12'],
    ['\\frac12', '\\frac123'],
    ['[1\\\\2]', 'it is [12]'],
    ['German', 'Germany signed it'],
    ['Norman', 'it is in Normandy'],
    ['square', 'the squared length'],
    ['circle', 'Circles are round'],
    ['center', 'it is centered'],
    ['correct', 'an incorrect sign'],
    ['formation', 'read the information'],
    ['bureau', 'two bureaux'],
    ['season', 'the seas on the coast'],
    ['season', 'the seas. On the coast'],
    ['season', 'cross the seas - on foot'],
  ])('%s is not in %j', (reference, text) => {
    for (const kind of ['exact', 'math']) expect([kind, gives(reference, kind, text)]).toEqual([kind, false]);
  });

  it('is not in two texts that end and begin with small words', () => {
    expect(gives('season', 'exact', 'cross the seas', 'on the coast')).toBe(false);
    expect(gives('season', 'exact', 'cross the sea', 'son of a king')).toBe(true);
  });

  it('is found in pieces with marks between them, and glued to small words', () => {
    for (const text of [
      'Can-berra',
      'Can ... berra',
      'C-an-b-erra',
      'theCanberra',
      'CanberraIs',
      'Canberra7',
      'Canberraxx',
    ])
      expect([text, gives('Canberra', 'exact', text)]).toEqual([text, true]);
  });

  it.each([
    ['\\\\\\\\\\\\x1', '\\ '],
    ['\\begin{pmatrix}1\\\\2\\end{pmatrix}', '\\begin{pmatrix}1\\ '],
    ['\\frac12', ' '],
    ['Canberra', '\ufdfa'],
    [`${'a'.repeat(199)}b`, 'a'],
    ['a-'.repeat(100), 'a-'],
  ])('is looked for in linear time in a text of one piece: %#', (reference, piece) => {
    const text = piece.repeat(131_072 / piece.length);
    const asked = { reference, prompt: text, verifier: { kind: 'exact', version: '1', options: {} } };
    const before = process.threadCpuUsage().user;
    gives(reference, 'exact', text);
    givesAnswerAway(JSON.stringify([reference]), asked);
    expect((process.threadCpuUsage().user - before) / 1000).toBeLessThan(2000);
  });

  it('is a formula too, with any blanks', () => {
    expect(gives('\\frac12', 'math', 'it is \\frac 12')).toBe(true);
    expect(gives('[1\\\\2\\\\3]', 'math', '[1 \\\\ 2 \\\\ 3]')).toBe(true);
    expect(gives('2x+1', 'math', 'it is 2 x + 1')).toBe(true);
    expect(gives('(3, 4)', 'math', 'so \\left( 3,\\,4 \\right)')).toBe(true);
    expect(gives('x^2 - 1', 'math', '$x^2-1$')).toBe(true);
  });

  it('is no secret where the problem says it', () => {
    const problem = { reference: 'Canberra', verifier: { kind: 'exact', version: '1', options: {} } };
    const entry = JSON.stringify({ concepts: ['Can-berra'] });
    expect(givesAnswerAway(entry, { ...problem, prompt: 'Canberra or Sydney?' })).toBe(false);
    expect(givesAnswerAway(entry, { ...problem, prompt: 'Lima or Sydney?' })).toBe(true);
  });
});

describe('digits one by one', () => {
  it('state a number of three and more', () => {
    for (const text of ['1 2 5 0', 'it is 1-2-5-0', '1, 2, 5, 0 in a row'])
      expect(gives('1250', 'numeric', text)).toBe(true);
    for (const text of ['12 50', '4, 2', '1 2 5']) expect(gives('1250', 'numeric', text)).toBe(false);
    for (const text of ['1-2-5', 'write 1|2|5', '1~2~5']) expect(gives('125', 'numeric', text)).toBe(true);
    expect(gives('42', 'numeric', '4 2')).toBe(false);
  });

  it('are three numbers where they are a list, a version or a product', () => {
    for (const text of ['Try the values 1, 2, 4', 'Divisors 1 2 4', '1.2.4', '1 + 2 + 4', '1·2·4', '1-2, 4', '1\n2\n4'])
      expect([text, gives('124', 'numeric', text)]).toEqual([text, false]);
  });
});

describe('the letter of a choice', () => {
  it.each([
    'B',
    '(B)',
    'b',
    'B.',
    'B) a plane',
    'B: the plane',
    'choose B',
    'Pick (B)',
    'the answer is B',
    'answer: **B**',
    'Option B is right',
    'the letter is "B"',
    'mark B, since it flies',
    '→ B',
    'B. The plane',
    'choose B - it flies',
    'it is B.',
    'Answer = B',
    'correct option: B',
    'answer B is right',
  ])('is given away by %j', (text) => {
    expect(gives('B', 'choice', text)).toBe(true);
    expect(gives('D', 'choice', text)).toBe(false);
  });

  it.each([
    'compare A with B',
    '(A) and (B) differ in sign',
    'B vitamins help',
    'choose B vitamins first',
    'a bird',
    'Take A look',
    'plan B is a word',
    'is it a bird',
    'C-reactive protein rises in inflammation',
    'B-cells make antibodies',
    'D-glucose is the natural form',
    'E. coli grows aerobically',
    'Q = C V',
    'If AB = I then A = B^-1',
    'Density: D = m / V',
    'Remember: A = pi r^2',
    'the difference is A - B',
    'Take A and B to be independent events',
    'degrees: C or F',
    'compare option A and option B',
    'the answers A and B differ',
    'write A = B + C',
    'If A → B, then not B → not A',
    'take A as the origin',
    'mark A on the line',
    'the unit is C',
    'option B is wrong',
    'rule out option B',
    'it is not option B',
  ])('is not given away by %j', (text) => {
    for (const letter of 'ABCDEFIQV') expect([letter, gives(letter, 'choice', text)]).toEqual([letter, false]);
  });
});

const ANSWERS = [
  'Canberra',
  'Lima',
  'Oslo',
  'red',
  'New York',
  'Charles Babbage',
  'photosynthesis',
  'yes',
  'Zoë',
  'oak',
];
const ADVICE =
  'look at the table first then count rows twice keep units apart check each sign read backwards mind e.g. well-known half-life A B C do-it-yourself (step 1) (step 2)'.split(
    ' ',
  );
const LIKE: Readonly<Record<string, string>> = { a: 'а', e: 'е', o: 'ο', p: 'р', c: 'с', y: 'у', x: 'х', i: 'і' };

interface Case {
  readonly reference: string;
  readonly texts: readonly string[];
}

/** An answer, written in the ways of an author who must not write it. */
function disguised(random: Random): Case {
  const reference = random.pick(ANSWERS);
  const isLong = reference.replaceAll(/\P{L}/gu, '').length >= 6;
  const cut = 1 + random.int(reference.length - 1);
  const [head, tail] = [reference.slice(0, cut), reference.slice(cut)];
  const letters = Array.from(reference.replaceAll(' ', ''));
  const mark = random.pick(['-', '_', '**', '.', '·', '~', '|', '/']);
  const forms: readonly (readonly string[])[] = [
    [head + mark + tail],
    [letters.join(random.pick([' ', '-', '. ', ', ', ' | ', '\n']))],
    [reference.toUpperCase()],
    [Array.from(reference, (letter) => LIKE[letter] ?? letter).join('')],
    [Array.from(reference, (letter) => `${letter}\u0301`).join('')],
    [letters.join('\u200b')],
    ...(isLong
      ? [[head, tail], [`the${reference}`], [`${reference}x`], [`${head} ... ${tail}`], [`in ${head}`, `${tail}, so`]]
      : []),
  ];
  const chosen = random.pick(forms);
  if (chosen.length > 1) return { reference, texts: chosen };
  const before = random.pick(['', 'so it is ', '(', 'think of "']);
  return { reference, texts: [`${before}${chosen[0]!}${random.pick(['', '.', '!', ', then check'])}`] };
}

/** Other words that hold the answer's letters. */
const INFLECTED: Readonly<Record<string, readonly string[]>> = {
  German: ['Germany', 'Germans', 'Germanic'],
  Norman: ['Normandy', 'Normans'],
  square: ['squared', 'squares', 'foursquare'],
  circle: ['circles', 'circled', 'semicircle', 'encircle'],
  center: ['centered', 'centers', 'epicenter'],
  season: ['seasons', 'seasonal', 'the seas on the coast'],
  correct: ['incorrect', 'corrected', 'correctly'],
  triangle: ['triangles', 'try a tri angle'],
  oak: ['oaks', 'soak'],
  red: ['hundred', 'reduce'],
};

function innocent(random: Random): Case {
  const isInflected = random.float() < 0.5;
  const reference = random.pick(isInflected ? Object.keys(INFLECTED) : ANSWERS);
  const other = isInflected ? [random.pick(INFLECTED[reference]!)] : [];
  const words = (): string =>
    Array.from({ length: 3 + random.int(6) }, () => random.pick([...ADVICE, ...other])).join(' ');
  return { reference, texts: [`${words()} ${other.join('')}`, words()] };
}
