import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SeamEvent } from '@seamstream/events';
import { asProblems, assertApart, type ProblemFile, readProblemFile } from './own-problems.js';
import { fileSource, placeInStream } from './problem-stream.js';

describe('a file of one’s own', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-own-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const read = async (...rows: unknown[]): Promise<ProblemFile> => {
    const path = join(folder, `${rows.length}-${JSON.stringify(rows).length}.jsonl`);
    await writeFile(path, rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join(''));
    return readProblemFile('--problems', path);
  };
  const sum = (n: number, domain = 'sums') => ({ domain, prompt: `What is ${n} + ${n}?`, reference: String(2 * n) });

  it('is read in the form that its first row has', async () => {
    const own = await read(sum(1), { ...sum(2), problemId: 'two' });
    expect(asProblems(own)).toMatchObject([{ reference: '2' }, { problemId: 'two', domain: 'sums' }]);
    const gsm8k = await read({ question: 'How many?', answer: 'So it is\n#### 1,234' });
    expect(asProblems(gsm8k)).toMatchObject([
      { prompt: 'How many?', reference: '1234', verifier: { kind: 'numeric' } },
    ]);
  });

  it.each([
    ['that holds nothing', [], /expected at least one problem, got none/],
    ['in no known form', [{ a: 1 }], /expected a form that is known \(seam, .*gsm8k/],
    ['with a row at fault', [sum(1), { prompt: 'x' }], /row 2: reference: expected .* got nothing/],
    ['with a row that is no JSON', [sum(1), '{'], /row 2: expected one JSON object/],
  ])('%s is refused, with the form of a row or the row at fault', async (_, rows, message) => {
    await expect(read(...rows)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
    });
  });

  it('that cannot be read is refused by name', async () => {
    await expect(readProblemFile('--test', join(folder, 'none'))).rejects.toThrow(/Cannot use --test .*none: .*ENOENT/);
  });

  it('is kept apart from what decides: the same question in both is refused, rows and file named', async () => {
    const train = await read(sum(1), sum(2), sum(3));
    const copied = await read(sum(8), { ...sum(2), prompt: ' what is 2 + 2 ?' });
    expect(() => assertApart(train, copied, '--validation')).toThrow(/are not in --validation .*row 2 as row 2 of it/);
    expect(() => assertApart(train, { ...copied, problems: copied.problems.slice(0, 1) }, '--validation')).toThrow(
      'at least two problems, got one',
    );
  });

  it('needs something to decide on in every domain', async () => {
    const train = await read(sum(1), sum(2, 'doubles'));
    const validation = await read(sum(101), sum(102), sum(103));
    expect(() => assertApart(train, validation, '--validation')).toThrow('got none of doubles');
  });

  it('is published whole before any of it is repeated, in an order of the seed, under new ids that name their place', async () => {
    const file = await read(...Array.from({ length: 5 }, (_, i) => sum(i + 1)));
    const publish = (seed: number, startIndex: number, count: number, round = 1) =>
      fileSource(
        file.problems,
        file,
        seed,
      )({ round, phase: 'base', roundSize: 4, startIndex, count, occurredAt: 7 }).map(
        (event) => (event as Extract<SeamEvent, { type: 'ProblemPublished' }>).problem,
      );
    const first = publish(1, 0, 4);
    const second = publish(1, 4, 6, 2);
    const references = [...first, ...second].map(({ reference }) => reference);
    expect([...references.slice(0, 5)].sort()).toEqual(['10', '2', '4', '6', '8']);
    expect([...references.slice(5)].sort()).toEqual(['10', '2', '4', '6', '8']);
    expect(new Set([...first, ...second].map(({ problemId }) => problemId)).size).toBe(10);
    expect(publish(1, 0, 4)).toEqual(first);
    expect(publish(2, 0, 5).map(({ problemId }) => problemId)).not.toEqual(
      publish(1, 0, 5).map(({ problemId }) => problemId),
    );
    expect(placeInStream(second[0]!)).toEqual({ stream: `file/${file.digest}/1`, round: 2, phase: 'base' });
    expect(placeInStream({ ...second[0]!, problemId: first[0]!.problemId })).toBeNull();
    expect(first[0]?.metadata.sourceId).toMatch(/^row \d$/);
  });
});
