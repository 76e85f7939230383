import type { EventOf, SeamEvent } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import type { RecordedRun } from '../read-models/recorded-runs.js';
import { type IterationFigures, iterationFigures } from './iteration-figures.js';
import { type RestEmRunConfig, resolveRestEm } from './restem.config.js';
import {
  evolveSelfTrainings,
  explorationId,
  explorationMetadata,
  initialSelfTrainings,
  nextStep,
  rowsOf,
  type SelfTraining,
  whenHeard,
} from './self-training.decide.js';
import { reportOf } from './self-training-report.js';
import { trackedRun } from './track-restem.js';

const TOTAL = 5;

describe('the next step of a self-training', () => {
  it('is to explore what is missing, to wait for every attempt, to train, and to explore again', () => {
    const events: SeamEvent[] = [started()];
    const step = (runs: readonly RecordedRun[] = []) => nextStep(fold(events), runs, TOTAL);
    expect(step()).toEqual({ kind: 'explore', index: 1, rows: [0, 1] });
    events.push(published(1, 0));
    expect(step()).toEqual({ kind: 'explore', index: 1, rows: [1] });
    events.push(published(1, 1), outcome(1, 0, 0), outcome(1, 0, 1), outcome(1, 1, 0));
    expect(step()).toEqual({ kind: 'wait', index: 1, settled: 1, problems: 2 });
    events.push(outcome(1, 1, 1));
    expect(step()).toEqual({ kind: 'train', index: 1 });
    expect(step([run(1, 'running')])).toEqual({ kind: 'train', index: 1 });
    expect(step([run(1, 'promoted')])).toEqual({ kind: 'explore', index: 2, rows: [2, 3] });
    expect(step([run(1, 'promoted'), run(2, 'promoted')])).toEqual({ kind: 'none', reason: 'done' });
  });

  it('does not wait for problems that will not be answered any more', () => {
    const expired = { ...EXAMPLE_EVENTS.ProblemExpired, problem: problem(1, 0) };
    const dead = { ...EXAMPLE_EVENTS.DeadLettered, key: problem(1, 1).problemId };
    expect(nextStep(fold([started(), published(1, 0), published(1, 1), expired, dead]), [], TOTAL).kind).toBe('train');
  });

  it('ends after as many iterations without a better writer as patience allows, in a row', () => {
    const state = (patience: number) => fold([started({ iterations: 4, patience })]);
    const runs = [run(1, 'not better'), run(2, 'promoted'), run(3, 'not better')];
    expect(nextStep(state(1), runs, TOTAL)).toEqual({ kind: 'none', reason: 'no gain' });
    expect(nextStep(state(2), runs, TOTAL)).toMatchObject({ kind: 'explore', index: 4 });
    expect(nextStep(state(0), [...runs, run(4, 'not better')], TOTAL)).toEqual({ kind: 'none', reason: 'done' });
  });

  it('counts a promotion that another one was ahead of as none', () => {
    const overtaken = { ...run(1, 'promoted'), decision: 'rejected' as const };
    expect(nextStep(fold([started({ patience: 1 })]), [overtaken], TOTAL)).toEqual({ kind: 'none', reason: 'no gain' });
    const undecided = { ...run(1, 'promoted'), decision: 'published' as const };
    expect(nextStep(fold([started({ patience: 1 })]), [undecided], TOTAL)).toMatchObject({ kind: 'explore', index: 1 });
  });

  it('is to listen to people after the last result, as long as the configuration says, and then to train', () => {
    const events = [
      published(1, 0),
      published(1, 1),
      ...[0, 1].flatMap((row) => [outcome(1, row, 0), outcome(1, row, 1)]),
    ];
    const state = fold([started({ feedbackSeconds: 60 }), ...events]);
    const last = Math.max(...events.map(({ meta }) => meta.occurredAt));
    const step = (now: number) => whenHeard(nextStep(state, [], TOTAL), state, now);
    expect(step(last)).toEqual({ kind: 'listen', index: 1, until: last + 60_000 });
    expect(step(last + 59_999)).toMatchObject({ kind: 'listen' });
    expect(step(last + 60_000)).toEqual({ kind: 'train', index: 1 });
    const { meta, ...result } = outcome(1, 0, 0);
    const stampedAt = (occurredAt: number) => ({ ...result, meta: { ...meta, occurredAt } });
    const heardWith = (at: number) => fold([started({ feedbackSeconds: 60 }), ...events, stampedAt(at)]);
    // More than an hour ahead it says nothing of the time; a little ahead the clock of its machine may be.
    const [far, near] = [heardWith(last + 60_000 + 3_600_001), heardWith(last + 60_000 + 3_600_000)];
    expect(whenHeard(nextStep(far, [], TOTAL), far, last + 60_000)).toEqual({ kind: 'train', index: 1 });
    const until = last + 120_000;
    expect(whenHeard(nextStep(near, [], TOTAL), near, last + 60_000)).toEqual({ kind: 'listen', index: 1, until });
    expect(whenHeard(nextStep(near, [], TOTAL), near, last + 3_720_000)).toEqual({ kind: 'train', index: 1 });
    const silent = fold([started(), ...events]);
    expect(whenHeard(nextStep(silent, [], TOTAL), silent, last)).toEqual({ kind: 'train', index: 1 });
    expect(reportOf(state, []).standing).toBe('exploring');
  });

  it('is nothing where the machine failed to train: that says nothing of the writer', () => {
    expect(nextStep(fold([started()]), [run(1, 'failed')], TOTAL)).toEqual({ kind: 'none', reason: 'failed' });
  });

  it('is nothing once a person stopped it, and the next one again once it is started again, with the newest settings', () => {
    const stop = { ...EXAMPLE_EVENTS.SelfTrainingStopped, selfTrainingId: 't' };
    expect(nextStep(fold([started(), stop]), [], TOTAL)).toEqual({ kind: 'none', reason: 'stopped' });
    const again = fold([started(), stop, started({ iterations: 7 })]);
    expect(nextStep(again, [], TOTAL).kind).toBe('explore');
    expect(again.config.iterations).toBe(7);
  });

  it('does not depend on problems and runs of others, on repetitions, and within a topic not on the order', () => {
    const foreign = { ...published(1, 0), problem: { ...problem(1, 0), metadata: explorationMetadata('other', 1) } };
    const results = [outcome(1, 0, 0), outcome(1, 0, 1), outcome(1, 1, 0)];
    const others = { ...run(1, 'promoted'), configuration: JSON.stringify({ iteration: { of: 'other', index: 1 } }) };
    for (let seed = 0; seed < 20; seed++) {
      const random = Random.of('self-training', seed);
      const problems = random.shuffled([published(1, 0), published(1, 1), foreign, published(1, 0)]);
      const events = [started(), ...problems, ...random.shuffled([...results, ...results])];
      expect(nextStep(fold(events), [others], TOTAL)).toEqual({ kind: 'wait', index: 1, settled: 1, problems: 2 });
    }
  });

  it('does not count a problem as its own that says so and has no id of its rows', () => {
    const claims = (problemId: string, index = 1) => {
      const claiming = { ...problem(index, 0), problemId };
      return { ...EXAMPLE_EVENTS.ProblemPublished, problem: claiming };
    };
    const foreign = [claims('p-1'), claims(explorationId('t', 1, 2)), claims(explorationId('t', 3, 0), 3)];
    expect(fold([started(), ...foreign]).iterations.size).toBe(0);
    const own = [published(1, 1), published(2, 3), claims(explorationId('t', 2, 0), 2)];
    const { iterations } = fold([started({ iterations: 3 }), started(), ...own, ...foreign.slice(2)]);
    expect([...iterations].map(([index, { problems }]) => [index, problems.size])).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
    ]);
  });

  it('goes through the file, and begins again behind its end', () => {
    const rows = (index: number, passages: number) => rowsOf(index, config({ passages }), TOTAL);
    expect([1, 2, 3].map((index) => rows(index, 2))).toEqual([
      [0, 1],
      [2, 3],
      [4, 0],
    ]);
    expect(rows(2, 9)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('the figures of an iteration', () => {
  const figuresOf = (events: readonly SeamEvent[], runs: readonly RecordedRun[] = []): IterationFigures =>
    iterationFigures(fold([started(), published(1, 0), published(1, 1), ...events]), runs)[0]!;

  it('are of the attempts of one writer, with rewards, gains and what the machine failed at', () => {
    const failed = { ...EXAMPLE_EVENTS.ExecutionFailed, ...place(1, 1, 1), adapterDigest: 'w' };
    const control = { ...outcome(1, 1, 2, 0.25), groupSize: 1, arm: 'control' as const };
    const byAnother = { ...outcome(1, 1, 3, 1), adapterDigest: 'earlier' };
    const events = [outcome(1, 0, 0, 1), outcome(1, 0, 1, 0.25), outcome(1, 1, 0, 0.1), failed, control, byAnother];
    const figures = figuresOf(events);
    expect(figures).toMatchObject({ writer: 'w', attempts: 3, byOthers: 1, failed: 1, control: 0.25 });
    expect(figures.reward!.mean).toBeCloseTo(0.45);
    expect(figures.reward!.std).toBeCloseTo(Math.sqrt((0.55 ** 2 + 0.2 ** 2 + 0.35 ** 2) / 3));
    expect(figures.reward!.histogram).toEqual([0, 1, 1, 0, 0, 0, 0, 0, 0, 1]);
    expect(figures.gaining).toBeCloseTo(1 / 3);
  });

  it('tell what an update changed and how much is asked, as trackers are shown it once the training has ended', () => {
    const measurement = {
      ...{ reward: 'accuracy-gain@1', form: 'continuous', threshold: 0, lossBefore: null, lossAfter: null },
      ...{ value: 0.5, earned: 0.5, accuracyBefore: 0.25, accuracyAfter: 0.75 },
    };
    const asked = { ...problem(1, 0), reference: '["a",["b","c"],"d"]' };
    const measured = { ...outcome(1, 0, 0, 0.5), problem: asked, measurement };
    const events = [started(), published(1, 0), published(1, 1), measured, { ...outcome(1, 0, 1, 0), problem: asked }];
    const state = fold(events);
    const ended = { ...run(1, 'promoted'), endedAt: 7_000 };
    const [figures] = iterationFigures(state, [ended]);
    expect(figures).toMatchObject({ success: 0.5, measured: { before: 0.25, after: 0.75 }, questions: 3 });
    const shown = trackedRun(reportOf(state, [ended]));
    const byMetric = Object.fromEntries(shown.points.map(({ metric, value }) => [metric, value]));
    expect(byMetric).toMatchObject({
      'reward/mean': 0.25,
      success_rate: 0.5,
      'accuracy/after_update': 0.75,
      promoted: 1,
    });
    expect(shown.points.every(({ step, at }) => step === 1 && at === 7_000)).toBe(true);
    expect(trackedRun(reportOf(state, [run(1, 'running')])).points).toEqual([]);
  });

  it('count edits that could not act by reason, of the writer alone, and what people said as the training counted it', () => {
    const refusal = (reason: string) => ({ reward: 0, editRefusal: { reason, detail: 'tokens 3' } });
    const byAnother = { ...outcome(1, 1, 3), ...refusal('copy'), adapterDigest: 'earlier' };
    const events = [
      { ...outcome(1, 0, 0), ...refusal('too_short') },
      { ...outcome(1, 0, 1), ...refusal('gibberish') },
      ...[{ ...outcome(1, 1, 0), ...refusal('gibberish') }, outcome(1, 1, 1), byAnother],
    ];
    const metrics = { feedbackAttempts: 3, feedbackPeople: 2, feedbackReward: 0.4, feedbackDecided: 1 };
    const ended = { ...run(1, 'promoted'), endedAt: 7_000, metrics };
    const figures = figuresOf(events, [ended]);
    expect(figures.refused).toEqual([
      { reason: 'gibberish', count: 2 },
      { reason: 'too_short', count: 1 },
    ]);
    expect(figures.feedback).toEqual({ attempts: 3, people: 2, reward: 0.4, decided: 1 });
    const shown = trackedRun(reportOf(fold([started(), published(1, 0), published(1, 1), ...events]), [ended]));
    const byMetric = Object.fromEntries(shown.points.map(({ metric, value }) => [metric, value]));
    expect(byMetric).toMatchObject({ edits_refused: 3, 'feedback/people': 2, 'feedback/decided': 1 });
    expect(figuresOf([outcome(1, 0, 0)], [run(1, 'promoted')])).toMatchObject({ refused: [], feedback: null });
  });

  it('are the same to the last bit in any order of reading results', () => {
    const rewards = [0.1, 0.2, 0.3, 1 / 3, 0.7, 0.9];
    const events = rewards.map((reward, at) => outcome(1, at % 2, at, reward));
    for (let seed = 0; seed < 20; seed++)
      expect(figuresOf(Random.of('order', seed).shuffled(events))).toEqual(figuresOf(events));
  });

  it('are absent where nothing was attempted, and tell before and after from the comparison', () => {
    expect(figuresOf([])).toMatchObject({ reward: null, gaining: null, control: null, run: null, before: null });
    const evaluation = { ...EXAMPLE_EVENTS.AdapterPromoted.evaluation!, parentSuccess: 0.25, success: 0.5 };
    expect(figuresOf([], [{ ...run(1, 'not better'), evaluation }])).toMatchObject({
      ...{ before: 0.25, after: 0.5 },
      run: { status: 'not better' },
    });
  });
});

describe('the settings of a self-training', () => {
  it('are laid over each other: trainer, preset, file, command line', () => {
    const file = { iterations: 3, algorithm: { learningRate: { peak: 1e-4 }, keep: 'solved' } };
    const set = { algorithm: { keep: 'best' } };
    const resolved = resolveRestEm({ trainer: { minExamples: 7 }, preset: 'seal-paper-knowledge', file, set });
    expect(resolved).toMatchObject({ iterations: 3, passages: 50, patience: 0 });
    expect(resolved.algorithm).toMatchObject({ minExamples: 7, keep: 'best', learningRate: { peak: 1e-4 }, rounds: 1 });
  });

  it.each([
    [{ iteration: 3 }, 'iteration'],
    [{ passages: 0 }, 'passages'],
    [{ algorithm: { learningrate: 1 } }, 'learningrate'],
  ])('are refused where one is unknown or wrong: %j', (file, named) => {
    expect(() => resolveRestEm({ trainer: {}, file })).toThrow(named);
  });
});

function config(changes: Partial<RestEmRunConfig> = {}): RestEmRunConfig {
  return { iterations: 2, passages: 2, patience: 0, idle: null, algorithm: {}, ...changes };
}

function started(changes: Partial<RestEmRunConfig> = {}): SeamEvent {
  const configuration = JSON.stringify(config(changes));
  return { ...EXAMPLE_EVENTS.SelfTrainingStarted, selfTrainingId: 't', configuration };
}

function problem(index: number, row: number) {
  return {
    ...EXAMPLE_EVENTS.ProblemPublished.problem,
    ...{ problemId: explorationId('t', index, row), metadata: explorationMetadata('t', index) },
  };
}

function published(index: number, row: number) {
  return { ...EXAMPLE_EVENTS.ProblemPublished, problem: problem(index, row) };
}

function place(index: number, row: number, candidateIndex: number) {
  const groupId = `${index}/${row}`;
  const experienceId = `${groupId}/${candidateIndex}`;
  const meta = { ...EXAMPLE_EVENTS.OutcomeRecorded.meta, messageId: experienceId };
  return { meta, problem: problem(index, row), groupId, experienceId, candidateIndex, groupSize: 2 };
}

function outcome(index: number, row: number, candidateIndex: number, reward = 1): EventOf<'OutcomeRecorded'> {
  return { ...EXAMPLE_EVENTS.OutcomeRecorded, ...place(index, row, candidateIndex), adapterDigest: 'w', reward };
}

function run(index: number, came: 'running' | 'promoted' | 'not better' | 'failed'): RecordedRun {
  const ends = {
    running: { status: 'running', decision: null },
    promoted: { status: 'completed', decision: 'served' },
    'not better': { status: 'rejected', decision: 'rejected' },
    failed: { status: 'failed', decision: null },
  } as const;
  return {
    ...{
      runId: `r${index}`,
      algorithm: 'rest-em',
      slot: 's',
      parentAdapter: null,
      inputs: [],
      manifests: [],
      seed: '',
    },
    ...{ baseModelDigest: 'b', codeVersion: '0', evaluation: null, adapterDigest: null, steps: 0, startedAt: 0 },
    ...{ endedAt: null, code: null, reason: null, metrics: {}, checkpoints: [], faithful: null },
    configuration: JSON.stringify({ iteration: { of: 't', index } }),
    ...ends[came],
  };
}

function fold(events: readonly SeamEvent[]): SelfTraining {
  return events.reduce(evolveSelfTrainings, initialSelfTrainings()).byId.get('t')!;
}
