/**
 * Augmentations, inverses, votes, scores and the rules of generated tasks, each computed twice: by libs/grid-tasks, and by
 * grid_tasks_reference.py, which was written from the document alone. ARC itself is not part of the project: SEAM_TEST_ARC names its folder
 * with a JSON file per task.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import {
  AUGMENTATION_FAMILIES,
  type Augmentation,
  attemptsOf,
  augmentationsOf,
  FAMILY_NAMES,
  type GeneratedTask,
  type Grid,
  type GridPair,
  generateTask,
  parseGridTask,
  printGrid,
  randomRecolour,
  scoreTask,
  type View,
  viewsOf,
  voteOf,
} from '@seamstream/grid-tasks';
import { Random } from '@seamstream/kernel';

// Plain Python over 400 tasks takes half a minute.
jest.setTimeout(300_000);

describe('a second implementation', () => {
  it('agrees on generated tasks of every family', () => {
    const tasks = FAMILY_NAMES.flatMap((family) =>
      [0, 1, 2, 3, 4].map((seed) => generateTask(family, { seed: String(seed), numTest: 2 })),
    );
    expectAgreement(tasks.map((task, index) => caseOf(`${task.family}-${index}`, task)));
  });

  const published = process.env.SEAM_TEST_ARC ?? '';
  const isThere = existsSync(published);
  if (!isThere) process.stderr.write('SKIPPED: ARC as published. Name the folder of its tasks in SEAM_TEST_ARC.\n');

  (isThere ? it : it.skip)('agrees on every published task of ARC, and each inverse gives each grid back', () => {
    const files = readdirSync(published).filter((name) => name.endsWith('.json'));
    expect(files).toHaveLength(400);
    const cases = files.map((file) => {
      const { train, test } = parseGridTask(JSON.parse(readFileSync(join(published, file), 'utf8')));
      return caseOf(file, { train, test: test.map(({ input, output }) => ({ input, output: output! })) });
    });
    expectAgreement(cases);
  });
});

type Task = Pick<GeneratedTask, 'train' | 'test'> & Partial<Pick<GeneratedTask, 'family' | 'parameters'>>;

interface Case {
  /** What Python is asked. */
  readonly question: object;
  readonly ours: { readonly augmented: Readonly<Record<string, Augmented>>; readonly score: { isSolved: boolean } };
  readonly numGrids: number;
}

interface Augmented {
  readonly digest: string;
  readonly tooLarge: number;
  readonly takenBack: number;
}

function caseOf(seed: string, { train, test, family, parameters }: Task): Case {
  const pairs = [...train, ...test];
  const grids = pairs.flatMap(({ input, output }) => [input, output]);
  const truths = test.map(({ output }) => output);
  const random = Random.of(seed);
  const augmentations = AUGMENTATION_FAMILIES.flatMap((each) => augmentationsOf(each, random));
  augmentations.push(randomRecolour(random));
  const answers = test.map((pair) => answersFor(pair, train.length, random));
  const attempts = answers.map((texts) => attemptsOf(texts.map(({ view, text }) => voteOf(view, text))));
  const tried = attempts.map((each) => each.map(({ grid }) => grid));
  const { isSolved, outputs, cellAccuracy } = scoreTask(tried, truths);
  const isGenerated = family !== undefined;
  const ours = {
    augmented: Object.fromEntries(augmentations.map((each) => [each.name, augmentedBy(each, grids)])),
    attempts: tried.map((each) => each.map(printGrid)),
    score: {
      isSolved,
      right: outputs.map(({ isRight }) => isRight),
      shares: outputs.map((output) => output.cellAccuracy),
      cellAccuracy,
    },
    outputs: isGenerated ? pairs.map(({ output }) => printGrid(output)) : null,
  };
  return {
    question: {
      pairs: pairs.map(({ input, output }) => [input, output]),
      augmentations: augmentations.map(({ name }) => name),
      votes: answers.map((texts) => texts.map(({ view, text }) => [view.symmetry.name, text])),
      truths,
      rule: isGenerated ? { family, parameters } : null,
    },
    ours,
    numGrids: grids.length,
  };
}

function augmentedBy(augmentation: Augmentation, grids: readonly Grid[]): Augmented {
  const texts: string[] = [];
  let takenBack = 0;
  for (const grid of grids) {
    const result = augmentation.apply(grid);
    if (result === undefined) continue;
    texts.push(printGrid(result));
    const before = augmentation.inverse(result);
    if (before !== undefined && printGrid(before) === printGrid(grid)) takenBack++;
  }
  const digest = createHash('sha256').update(texts.join('\n\n')).digest('hex');
  return { digest, tooLarge: grids.length - texts.length, takenBack };
}

/** What models answer in each view: the output, one of three wrong grids, which several may give, or no grid. */
function answersFor({ input, output }: GridPair, numPairs: number, random: Random): { view: View; text: string }[] {
  const changed = output.map((row, index) => (index === 0 ? row.map((colour) => (colour + 1) % 10) : row));
  const wrong = [input, changed, output.slice(0, 1)];
  const chance = random.float() / 2;
  // In any order: otherwise the first vote would be one of the unturned view, and one rule for ties would hide the other.
  return random.shuffled(viewsOf(numPairs, 'votes', 2)).map((view) => {
    if (random.float() < 0.1) return { view, text: 'There is no rule.' };
    const grid = random.float() < chance ? output : random.pick(wrong);
    const text = printGrid(view.symmetry.apply(grid));
    return { view, text: random.float() < 0.5 ? `${text}\n\nInput:\n0` : text.replaceAll(/(?<=\d)(?=\d)/g, ' ') };
  });
}

function expectAgreement(cases: readonly Case[]): void {
  const script = fileURLToPath(new URL('grid_tasks_reference.py', import.meta.url));
  const { stdout, stderr } = spawnSync(process.env.PYTHON ?? 'python3', [script], {
    input: JSON.stringify(cases.map(({ question }) => question)),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  expect(stderr).toBe('');
  const theirs = JSON.parse(stdout) as unknown[];
  expect(theirs).toHaveLength(cases.length);
  for (const [index, { ours, numGrids }] of cases.entries()) {
    expect(theirs[index]).toEqual(ours);
    for (const { tooLarge, takenBack } of Object.values(ours.augmented)) expect(tooLarge + takenBack).toBe(numGrids);
  }
  // Were all tasks solved, or none, their scores would prove little.
  const solvedShare = cases.filter(({ ours }) => ours.score.isSolved).length / cases.length;
  expect(solvedShare).toBeGreaterThan(0.1);
  expect(solvedShare).toBeLessThan(0.9);
}
