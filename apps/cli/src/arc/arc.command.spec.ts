import { type EventOf, encodeEvent, type Problem } from '@seamstream/events';
import { attemptsText, FAMILY_NAMES, parseGrid, parseGridTask, ruleOf } from '@seamstream/grid-tasks';
import { explored } from '@seamstream/testing/result-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

describe('seam arc generate', () => {
  const generated = async (...options: string[]) => {
    expect(await world.seam('arc', 'generate', '--out', 't.jsonl', '--force', ...options)).toBe(0);
    const lines = Buffer.from(world.files.get('t.jsonl')!).toString().trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as { readonly id: string; readonly family: string });
  };

  it('writes tasks of every family, the same ones for the same options', async () => {
    const tasks = await generated('--tasks', '2');
    expect(tasks).toHaveLength(2 * FAMILY_NAMES.length);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
    expect(world.takeOutput()).toBe('wrote 32 tasks to t.jsonl\n');
    expect(await generated('--tasks', '2')).toEqual(tasks);
    expect(await generated('--tasks', '2', '--seed', 'other')).not.toEqual(tasks);
  });

  it('holds to the numbers and the size that are asked for', async () => {
    const options = ['--families', 'flip,stretch', '--pairs', '5', '--tests', '2', '--max-side', '4', '--tasks', '20'];
    for (const row of await generated(...options)) {
      const { train, test } = parseGridTask(row);
      expect([train.length, test.length]).toEqual([5, 2]);
      for (const { input } of [...train, ...test])
        expect(Math.max(input.length, input[0]!.length)).toBeLessThanOrEqual(4);
      if (row.family === 'flip') expect(ruleOf('flip', {}, train[0]!.input)).toEqual(train[0]!.output);
    }
  });

  it('writes what is published as it is', async () => {
    await generated('--families', 'rotate', '--tasks', '3', '--tests', '2');
    world.takeOutput();
    expect(await world.seam('publish', 't.jsonl', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ dataset: 'arc', published: 6 }]);
  });

  it('refuses other families and sizes, and a file that is there', async () => {
    expect(await world.seam('arc', 'generate', '--out', 't.jsonl', '--families', 'flip,magic')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot read --families: expected names of recolour,');
    expect(await world.seam('arc', 'generate', '--out', 't.jsonl', '--max-side', '2')).toBe(2);
    await generated('--tasks', '1');
    expect(await world.seam('arc', 'generate', '--out', 't.jsonl')).toBe(2);
    expect(await world.seam('arc', 'generate', '--out', '-', '--json')).toBe(2);
  });
});

describe('seam arc report', () => {
  const configured = (isBasic: boolean): string =>
    JSON.stringify({
      data_generation: {
        ...{ use_basic_augmentations: isBasic, use_size_augmentations: false },
        ...{ use_chain_augmentations: false, use_repeat_augmentations: false },
      },
      training: { strategy: 'train_using_output_tokens', learning_rate: 0.001, num_train_epochs: 3 },
    });
  const problemOf = (n: number): Problem => ({
    problemId: `11aa22bb-0000-4000-8000-00000000000${n}`,
    domain: 'arc',
    prompt: 'Input:\n1\nOutput:\n2\n\nInput:\n3\nOutput:\n',
    reference: '12',
    verifier: { kind: 'grid', version: '1', options: {} },
    metadata: { task: `task ${n}` },
  });
  /** Two attempts at each of three tasks, with the switch `basic` and without it; right with it. */
  const outcomes = (): EventOf<'OutcomeRecorded'>[] =>
    [1, 2, 3].flatMap((n) => {
      const { outcomes: made } = explored(problemOf(n), { solved: [0], entryOf: (index) => configured(index === 0) });
      return made.slice(0, 2).map((outcome, index) => ({
        ...outcome,
        response: attemptsText([parseGrid(index === 0 ? '12' : '13')]),
      }));
    });

  it('compares arms and switches over recorded outcomes, each of which counts once', async () => {
    const other = explored({ ...problemOf(9), verifier: { kind: 'exact', version: '1', options: {} } }).outcomes;
    const all = [...outcomes(), ...outcomes(), ...other];
    await world.log.append(all.map(encodeEvent));
    expect(await world.seam('arc', 'report', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([
      {
        ...{ attempts: 6, tasks: 3 },
        arms: { configured: { attempts: 6, right: { value: 0.5 }, cells: { value: 0.75 } }, fixed: { attempts: 0 } },
        switches: { basic: { on: 3, off: 3, tasks: 3, effect: { value: 1 } }, size: { on: 0, effect: null } },
      },
    ]);
    expect(await world.seam('arc', 'report')).toBe(0);
    const table = world.takeOutput();
    expect(table).toMatch(/^configured +6 +3 +50\.0 \(\d+\.\d … \d+\.\d\) +75\.0 /m);
    expect(table).toMatch(/^basic +3 +3 +3 +100\.0 \(/m);
    expect(table).toMatch(/^inContext +0 +0 +– +– +0 /m);
    expect(table).toContain('6 attempts at 3 tasks.');
  });
});
