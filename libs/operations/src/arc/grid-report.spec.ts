import { attemptsText } from '@seamstream/grid-tasks';
import { sha256 } from '@seamstream/kernel';
import { gridReport, type RecordedAttempt, type Switch } from './grid-report.js';

function configured(...on: readonly Switch[]): string {
  return JSON.stringify({
    data_generation: Object.fromEntries(
      ['basic', 'size', 'chain', 'repeat'].map((name) => [`use_${name}_augmentations`, on.includes(name as Switch)]),
    ),
    training: {
      strategy: on.includes('output-tokens') ? 'train_using_output_tokens' : 'train_using_all_tokens',
      learning_rate: 0.001,
      num_train_epochs: 3,
    },
  });
}
const RIGHT = attemptsText([[[1, 2]]]);
const HALF = attemptsText([[[1, 3]]]);

function attempt(
  task: string,
  entry: string | null,
  response: string,
  more: Partial<RecordedAttempt> = {},
): RecordedAttempt {
  return { problemId: task, metadata: { task }, reference: '12', entry, response, ...more };
}

describe('a report on tasks on grids', () => {
  it('has the arms apart, each with the mean over its tasks', () => {
    const { arms, attempts, tasks } = gridReport([
      attempt('a', null, HALF),
      attempt('a', '', RIGHT),
      attempt('a', configured('basic'), RIGHT),
      attempt('a', configured('size'), RIGHT),
      attempt('b', configured('size'), HALF),
    ]);
    expect([attempts, tasks]).toEqual([5, 2]);
    expect(arms.inContext).toMatchObject({ attempts: 1, tasks: 1, right: { value: 0 }, cells: { value: 0.5 } });
    expect(arms.fixed).toMatchObject({ attempts: 1, right: { value: 1 }, solvedTasks: 1 });
    expect(arms.configured).toMatchObject({
      ...{ attempts: 3, tasks: 2, right: { value: 0.5 }, cells: { value: 0.75 }, solvedTasks: 1 },
    });
  });

  it('has a task solved only if all its outputs are right', () => {
    const of = (problemId: string, response: string) =>
      attempt('a', null, response, { problemId, metadata: { task: 'a', testInputs: '2' } });
    expect(gridReport([of('1', RIGHT), of('2', HALF)]).arms.inContext.solvedTasks).toBe(0);
    expect(gridReport([of('1', RIGHT), of('1', RIGHT)]).arms.inContext.solvedTasks).toBe(0);
    expect(gridReport([of('1', RIGHT), of('2', HALF), of('2', RIGHT)]).arms.inContext.solvedTasks).toBe(1);
  });

  it('compares each switch within tasks, so that easy tasks lend nothing to what was tried on them', () => {
    const { switches } = gridReport([
      ...['a', 'b'].flatMap((task) => [attempt(task, configured('basic'), RIGHT), attempt(task, configured(), HALF)]),
      // An easy task and a hard one, each with one setting of `size`: no evidence on it.
      attempt('easy', configured('size', 'basic'), RIGHT),
      attempt('hard', configured('basic'), HALF),
    ]);
    expect(switches.basic).toMatchObject({ on: 4, off: 2, tasks: 2, effect: { value: 1 } });
    expect(switches.basic.effect!.interval95[0]).toBeLessThan(1);
    expect(switches.size).toEqual({ on: 1, off: 5, tasks: 0, effect: null });
  });

  it('gives an interval that excludes 0 for a switch that helps on many tasks, and not for one that does nothing', () => {
    const attempts = Array.from({ length: 40 }, (_, index) => String(index)).flatMap((task, index) => [
      attempt(task, configured('chain', 'repeat'), index % 4 === 0 ? HALF : RIGHT),
      attempt(task, configured('chain'), index % 4 === 0 ? HALF : RIGHT),
      attempt(task, configured('repeat'), HALF),
    ]);
    const { switches } = gridReport(attempts);
    expect(switches.chain.effect!.interval95[0]).toBeGreaterThan(0.3);
    expect(switches.repeat.effect!.value).toBeLessThan(0);
  });

  it('chooses the best fixed configuration on other tasks than it measures it on', () => {
    const tasks = Array.from({ length: 24 }, (_, index) => `task ${index}`);
    const { bestFixed } = gridReport(
      tasks.flatMap((task) => [attempt(task, configured('basic'), RIGHT), attempt(task, configured('size'), HALF)]),
    );
    expect(bestFixed).toMatchObject({ chosen: [['basic'], ['basic']], tasks: 24, right: { value: 1 } });
    // Each choice is right on the tasks of one half alone, so what is chosen there fails on the other.
    const lucky = gridReport(
      tasks.flatMap((task) => {
        const isFirst = Number.parseInt(sha256(task).slice(0, 2), 16) % 2 === 0;
        return [
          attempt(task, configured('basic'), isFirst ? RIGHT : HALF),
          attempt(task, configured('size'), isFirst ? HALF : RIGHT),
        ];
      }),
    );
    expect(lucky.bestFixed.right!.value).toBe(0);
  });

  it('counts configurations that could not be carried out by their reason, as attempts that are wrong', () => {
    const { failures, arms } = gridReport([
      attempt('a', configured('basic'), 'No attempt: too-many-steps (expected at most 375).'),
      attempt('a', '{"edit":"x"}', 'No attempt: invalid-configuration (x).'),
      attempt('a', configured('basic'), 'No attempt: no answer was a grid.'),
    ]);
    expect(failures).toEqual({ 'too-many-steps': 1, 'invalid-configuration': 1 });
    expect(arms.configured).toMatchObject({ attempts: 3, right: { value: 0 }, cells: { value: 0 } });
  });

  it('says nothing of nothing', () => {
    expect(gridReport([])).toMatchObject({ attempts: 0, tasks: 0, arms: { fixed: { right: null } }, failures: {} });
  });
});
