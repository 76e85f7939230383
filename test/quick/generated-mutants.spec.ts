/** The generator of mutants: what counts as one, and how they are drawn. `npm run mutants:generated` runs it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type Mutant, mutantsOf } from '../mutants/generated/instrument.mjs';
import { askedSpecs, learningPath } from '../mutants/generated/learning-path.mjs';
import { drawn, named } from '../mutants/generated/sample.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('a generated mutant', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mutants-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function mutantsIn(text: string): Promise<readonly Mutant[]> {
    await writeFile(join(folder, 'a.ts'), text);
    return (await mutantsOf(folder, 'a.ts')).mutants;
  }
  const changesOf = async (text: string) => (await mutantsIn(text)).map(({ from, to }) => `${from} -> ${to}`);

  it('changes what is done: comparisons, arithmetic, codes and details of errors, short texts', async () => {
    expect(await changesOf('export const f = (a: number) => a * 2;')).toContain('a * 2 -> a / 2');
    const thrown = "throw new SeamError('CONFLICT', 'Cannot do it.', { details: { key } });";
    expect(await changesOf(`export function f(key: string) { ${thrown} }`)).toEqual(
      expect.arrayContaining([`'CONFLICT' -> ""`, '{ key } -> {}']),
    );
    expect(await changesOf("export const topic = 'seam.outcomes';")).toEqual([`'seam.outcomes' -> ""`]);
  });

  it.each([
    ['the message of an error, with what is spliced into it', "throw new SeamError('', `Cannot ${a > 1 ? 'x' : 'y'}`)"],
    ['the message of an error of JavaScript', 'throw new RangeError(`${a - 1}`)'],
    ['what is logged', "logger.warn({ a: a + 1 }, 'x')"],
    ['a text of three words', "void 'better than before'"],
    ['a text of three words, one spliced in', 'void `${a + 1} of all`'],
  ])('does not count where it changes only %s', async (_, statement) => {
    const having = await changesOf(`export function f(a: number) { ${statement}; }`);
    // Whether anything is done at all, whether it is thrown, and the error's code count.
    const doesCount = ['-> {}', `'' -> "Stryker was here!"`];
    expect(
      having.filter((change) => !change.startsWith('throw ') && !doesCount.some((end) => change.endsWith(end))),
    ).toEqual([]);
  });

  it('is where it says, and sleeps until its name is in the environment', async () => {
    const [mutant] = await mutantsIn('// first line\nexport const f = (a: number) => a - 2;\n');
    expect(mutant).toMatchObject({ file: 'a.ts', line: 2, within: 'export const f = (a: number) => a - 2;' });
    const { text } = await mutantsOf(folder, 'a.ts');
    expect(text).toContain(`("${mutant!.id}")`);
  });
});

describe('the draw', () => {
  const of = (sizes: readonly number[]) =>
    named(
      sizes.flatMap((size, file) =>
        Array.from({ length: size }, (_, i) => ({
          id: `${file}#${i}`,
          file: `f${file}`,
          within: '',
          from: `${i}`,
          to: '',
        })),
      ) as unknown as Mutant[],
    );

  it('has every mutant once, and is another one for another seed', () => {
    const all = of([30, 5, 1]);
    const ids = (seed: string) => drawn(all, seed).map(({ id }) => id);
    expect([...ids('1')].sort()).toEqual(all.map(({ id }) => id).sort());
    expect(ids('1')).toEqual(ids('1'));
    expect(ids('1')).not.toEqual(ids('2'));
  });

  it('takes the same part of every file, to within one mutant, at every length', () => {
    const sizesOfFiles = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sizesOfFiles, fc.nat(), (sizes, seed) => {
        const counts = sizes.map(() => 0);
        for (const { file } of drawn(of(sizes), `${seed}`)) {
          counts[Number(file.slice(1))]!++;
          const least = Math.max(...sizes.map((size, i) => (counts[i]! - 1) / size));
          const most = Math.min(...sizes.map((size, i) => (counts[i]! + 1) / size));
          expect(least).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 60, seed: 18 },
    );
  });
});

it('the learning path names files that are there, and no spec', () => {
  const files = learningPath(ROOT);
  expect(files.length).toBeGreaterThan(100);
  for (const room of [
    'language-model',
    'learning',
    'release',
    'rollout',
    'statistics',
    'success-buffer',
    'training-runs',
  ])
    expect(files.some((file) => file.startsWith(`libs/${room}/`))).toBe(true);
  expect(files.filter((file) => /\.(spec|fake|types)\.ts$/.test(file))).toEqual([]);
  expect(askedSpecs(ROOT).every((file) => file.endsWith('.spec.ts'))).toBe(true);
});
