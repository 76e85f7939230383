import { execFileSync, spawnSync } from 'node:child_process';
import { Random } from '@seamstream/kernel';
import { squadScore } from './squad-score.js';

describe("SQuAD's score of an answer", () => {
  it.each([
    ['Denver Broncos', ['The Denver Broncos!'], true, 1],
    ['the broncos of Denver', ['Denver Broncos'], false, 0.8],
    ['Denver', ['Carolina', 'Denver Broncos'], false, 2 / 3],
    ['Denver Denver', ['Denver'], false, 2 / 3],
    ['Carolina', ['Denver'], false, 0],
    ['U.S.A.', ['usa'], true, 1],
    ['24–10', ['2410'], false, 0],
  ])('of %j for %j is exact: %s, F1 %d', (answer, golds, isExact, f1) => {
    const score = squadScore(answer, golds);
    expect(score.isExact).toBe(isExact);
    expect(score.f1).toBeCloseTo(f1, 12);
  });

  it.each(['', ' ', '...', 'a the an', '\u0000', 'The'])(
    'of %j, of which nothing is left, is 0 for other words',
    (answer) => {
      expect(squadScore(answer, ['Denver', '%'])).toEqual({ isExact: false, f1: 0 });
    },
  );

  it('of what is an article or a sign alone compares it as it stands', () => {
    expect(squadScore('the', ['The'])).toEqual({ isExact: true, f1: 1 });
    expect(squadScore('%', ['$'])).toEqual({ isExact: false, f1: 0 });
  });

  it('of a huge answer takes time in proportion to it', () => {
    for (const piece of ['a ', "the'", '\u0301', ' ', 'Denver ']) {
      const start = process.cpuUsage();
      squadScore(piece.repeat(1 << 18), ['Denver Broncos']);
      // Seconds of this process; a quadratic comparison takes minutes.
      expect(process.cpuUsage(start).user).toBeLessThan(10_000_000);
    }
  });

  const python = spawnSync('python3', ['--version']).status === 0 ? it : it.skip;
  python('is that of the official scripts for generated answers of any script', () => {
    const random = Random.of('squad');
    const cases = Array.from({ length: 4000 }, () => {
      const golds = Array.from({ length: 1 + random.int(3) }, () => text(random));
      // Half of the answers are near a gold one.
      const answer =
        random.int(2) === 0 ? `${random.pick(golds)}${random.pick(['', '.', ' the', ' x'])}` : text(random);
      return [answer, golds] as const;
    }).filter(([answer, golds]) => ![answer, ...golds].some(isEmptied));
    expect(cases.length).toBeGreaterThan(1000);
    const input = JSON.stringify(cases);
    const official = JSON.parse(execFileSync('python3', ['-c', OFFICIAL], { input, encoding: 'utf8' })) as [
      boolean,
      number,
    ][];
    expect(official.filter(([isExact]) => isExact).length).toBeGreaterThan(100);
    for (const [at, [isExact, f1]] of official.entries()) {
      const [answer, golds] = cases[at]!;
      const score = squadScore(answer, golds);
      expect({ answer, golds, isExact: score.isExact }).toEqual({ answer, golds, isExact });
      expect(score.f1).toBeCloseTo(f1, 12);
    }
  });
});

/** The functions of the official scripts, evaluate-v1.1.py and evaluate-v2.0.py, over a list of [answer, golds]. */
const OFFICIAL = `
import collections, json, re, string, sys
def normal(s):
    s = ''.join(c for c in s.lower() if c not in set(string.punctuation))
    return ' '.join(re.sub(r'\\b(a|an|the)\\b', ' ', s).split())
def f1(gold, said):
    gold, said = normal(gold).split(), normal(said).split()
    same = sum((collections.Counter(gold) & collections.Counter(said)).values())
    if same == 0: return 0
    precision, recall = same / len(said), same / len(gold)
    return 2 * precision * recall / (precision + recall)
print(json.dumps([[any(normal(g) == normal(a) for g in golds), max(f1(g, a) for g in golds)] for a, golds in json.load(sys.stdin)]))
`;

const PIECES = [
  ...['the', 'The', 'a', 'an', 'An', 'theory', 'banana', 'x', 'Ω', 'ΑΣ', 'İ', 'ß', 'é', 'e\u0301', 'the\u0301'],
  ...['1815', '1,815', '½', '_', 'a_b', '24–10', "Levi's", '"', '.', '-', '’', '$5', '50%', '橋', '😀', 'Ⅻ'],
];
const SPACES = [' ', '  ', '\t', '\n', '\u00a0', '\u3000', '\u0085', '\u001c', '\u200b', ''];

const text = (random: Random): string =>
  Array.from({ length: random.int(6) }, () => random.pick(PIECES) + random.pick(SPACES)).join('');
/** Nothing is left of it by the official scripts. */
const isEmptied = (each: string): boolean =>
  each
    .replaceAll(/[!-/:-@[-`{-~]/g, '')
    .replaceAll(/(?<![\p{L}\p{N}_])(?:an?|the)(?![\p{L}\p{N}_])/giu, ' ')
    .split(/[\s\x1c-\x1f\x85]+/)
    .join('') === '';
