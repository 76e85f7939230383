/** As splits.spec.ts, of the worlds that a seed draws. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rightEntry, type World } from '@seamstream/attribute-world';
import type { Problem } from '@seamstream/events';
import { worldFiles } from './embedded-environment.js';
import { attributeSource } from './problem-stream.js';
import { attributeSet, attributeWorldOf, writeWorldFiles } from './world-files.js';

const METHODS = ['attributes', 'familiar-attributes', 'attribute-pairs'] as const;
const streamed = (method: (typeof METHODS)[number], seed: number): readonly Problem[] =>
  attributeSource({ method, seed })({
    round: 0,
    phase: 'base',
    roundSize: 64,
    startIndex: 0,
    count: 1024,
    occurredAt: 0,
  }).flatMap((event) => (event.type === 'ProblemPublished' ? [event.problem] : []));
/** The entries that solve problems. */
const entriesOf = (problems: readonly Problem[], world: World): ReadonlySet<string> =>
  new Set(problems.map((problem) => rightEntry(problem, world).concepts.join(', ')));

describe.each(METHODS)('the demonstration of %s', (method) => {
  it('learns from no entry that a promotion, a choice of settings or the report asks for', async () => {
    const world = attributeWorldOf({ method, seed: 4 });
    const folder = await mkdtemp(join(tmpdir(), 'seam-attributes-'));
    await writeWorldFiles(folder, { method, seed: 4 });
    const lines = (await readFile(worldFiles(folder).validation, 'utf8')).trimEnd().split('\n');
    const problems = lines.map((line) => JSON.parse(line) as Problem);
    const decided = entriesOf(problems, world);
    const learned = entriesOf(streamed(method, 4), world);
    const [chosen, ...reported] = (['development', 'heldOut', 'newWords'] as const).map((split) =>
      entriesOf(attributeSet(world, split, 300), world),
    );
    expect(decided.size).toBeGreaterThan(300);
    expect(learned.size).toBeGreaterThan(400);
    for (const [one, other] of [
      [learned, decided],
      [learned, chosen],
      [decided, chosen],
      ...reported.flatMap((set) => [learned, decided, chosen].map((other) => [other, set])),
    ])
      expect([...one!.intersection(other!)]).toEqual([]);
    expect(new Set(problems.map(({ prompt }) => prompt)).size).toBe(problems.length);
    expect(JSON.parse(await readFile(worldFiles(folder).entrySchemas, 'utf8'))).toHaveProperty('press');
  });

  it('is about another world with another seed, and about the same with the same', () => {
    const prompts = (seed: number): readonly string[] => streamed(method, seed).map(({ prompt }) => prompt);
    expect(prompts(4)).toEqual(prompts(4));
    expect(new Set(prompts(4)).intersection(new Set(prompts(5))).size).toBe(0);
  });

  it('resumes where it stopped', () => {
    const round = (startIndex: number, count: number) =>
      attributeSource({ method, seed: 4 })({
        round: 1,
        phase: 'base',
        roundSize: 64,
        startIndex,
        count,
        occurredAt: 0,
      });
    expect(round(70, 10)).toEqual(round(64, 64).slice(6, 16));
  });
});
