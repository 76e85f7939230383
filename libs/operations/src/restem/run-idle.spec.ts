import { bytesInMemory } from '@seamstream/datasets';
import { decodeEvent, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import type { Tracked, TrackedRun } from '@seamstream/experiment-tracking';
import { SeamError, systemClock } from '@seamstream/kernel';
import { EXAMPLE_EVENTS, eventsOf, openLog, recordsOf } from '@seamstream/testing';
import { settingsFor } from '../publish/index.js';
import type { TrainerClient } from '../train/index.js';
import { spentBy } from './idle.decide.js';
import { readSelfTrainings } from './read-restem.js';
import { resolveRestEm } from './restem.config.js';
import { runRestEm } from './run-restem.js';
import { reportOf } from './self-training-report.js';

it('a self-training in idle time waits for other problems, leaves its training for them, and records why', async () => {
  const scene = await sceneOf();
  await scene.publishOther('first');
  const ending = await scene.start();
  expect(ending.reason).toBe('done');
  const recorded = (await recordsOf(scene.log, TOPIC.training))
    .map(decodeEvent)
    .map((event) =>
      event.type === 'SelfTrainingPaused' ? `${event.reason} ${event.waiting} ${event.attempts}` : event.type,
    )
    .filter((told) => !told.startsWith('TrainingRun'));
  expect(recorded).toEqual([
    ...['SelfTrainingStarted', 'work 1 0', 'SelfTrainingResumed', 'work 1 2', 'SelfTrainingResumed', 'end 0 2'],
  ]);
  expect(scene.said).toEqual(['rest', 'explore', 'wait', 'explore', 'wait', 'train', 'rest', 'train', 'none']);
  expect(scene.asked).toEqual([
    { mostCost: 0.2, problems: [] },
    { mostCost: 0.2, problems: [] },
  ]);
  // What the last pause says of the time is what the log says.
  const [last] = (await eventsOf(scene.log, 'SelfTrainingPaused')).slice(-1);
  expect(last!.seconds).toBeGreaterThan(0.9);
  expect(last!.seconds).toBeCloseTo(spentBy(ending.state).seconds, 1);
  const report = reportOf(ending.state, ending.runs);
  expect(report).toMatchObject({ standing: 'ended', idle: { spent: { attempts: 2 }, pause: { reason: 'end' } } });
});

it('a self-training in idle time whose process is asked to stop records its time and that it stopped, and continues', async () => {
  const scene = await sceneOf({ stopAt: 'wait' });
  await expect(scene.start()).rejects.toThrow('asked to stop');
  const paused = await eventsOf(scene.log, 'SelfTrainingPaused');
  expect(paused).toMatchObject([{ reason: 'stop', waiting: 0 }]);
  const kept = { log: scene.log, snapshots: null };
  const reading = { signal: new AbortController().signal, progress: scene.progress };
  expect(await readSelfTrainings(kept, reading)).toMatchObject([
    { standing: 'exploring', idle: { spent: { seconds: paused[0]!.seconds }, pause: { reason: 'stop' } } },
  ]);
  expect((await scene.start()).reason).toBe('done');
});

it('a self-training in idle time that listens to people records it, and spends no time on it', async () => {
  const scene = await sceneOf({ feedbackSeconds: 2 });
  const { reason, state } = await scene.start();
  expect(reason).toBe('done');
  expect(scene.said).toEqual(['explore', 'wait', 'explore', 'wait', 'listen', 'train', 'rest', 'train', 'none']);
  expect((await eventsOf(scene.log, 'SelfTrainingPaused')).map((pause) => pause.reason)).toContain('feedback');
  expect(spentBy(state).seconds).toBeLessThan((state.pause!.since - state.startedAt) / 1000 - 1);
});

it('a self-training that is taken over in the middle of its training waits for its end and continues', async () => {
  const scene = await sceneOf({ isHeld: true });
  expect((await scene.start()).reason).toBe('done');
  expect(scene.asked).toHaveLength(2);
});

it('a self-training shows its figures to a tracker after each training and at its end, and learns without one that fails', async () => {
  const scene = await sceneOf();
  await scene.start();
  const last = scene.shown.at(-1)!;
  expect(last).toMatchObject({ status: 'finished', endedAt: expect.any(Number) });
  expect(last.points.map(({ metric }) => metric)).toContain('reward/mean');
  // Also by a command that finds nothing left to do.
  const before = scene.shown.length;
  await scene.start();
  expect(scene.shown.length).toBe(before + 1);
  const without = await sceneOf({ isTrackerGone: true });
  expect((await without.start()).reason).toBe('done');
  expect(new Set(without.untracked)).toEqual(new Set(['disk full']));
});

const PASSAGES = [1, 2].map((n) =>
  JSON.stringify({ passage: `House ${n} is red.`, questions: [{ question: `Colour of ${n}?`, reference: 'red' }] }),
);

interface Scene {
  readonly stopAt?: string;
  readonly isHeld?: boolean;
  readonly isTrackerGone?: boolean;
  readonly feedbackSeconds?: number;
}

/** The services answer a problem when the driver rests or waits, and another one arrives while it trains for the first time. */
async function sceneOf({ stopAt, isHeld = false, isTrackerGone = false, feedbackSeconds }: Scene = {}) {
  const log = await openLog();
  const [said, asked]: [string[], unknown[]] = [[], []];
  const answered = new Set<string>();
  const append = (event: SeamEvent) => log.append([encodeEvent(event)]);
  const publishOther = (problemId: string) => append({ ...published, problem: { ...published.problem, problemId } });
  const answerAll = async (): Promise<void> => {
    for (const { problem } of await eventsOf(log, 'ProblemPublished')) {
      if (answered.has(problem.problemId)) continue;
      answered.add(problem.problemId);
      await append(resultOf(problem));
    }
  };
  const train: TrainerClient['train'] = async ({ iteration, retention }, { signal }) => {
    asked.push(retention);
    // As the lease of a run says it that another process carries out.
    if (asked.length === 1 && isHeld) throw new SeamError('CONFLICT', 'Cannot carry out.', { details: { pid: 7 } });
    if (asked.length === 1) {
      await publishOther('second');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new SeamError('ABORTED', 'Cannot finish: it was stopped.');
    }
    const run = { ...EXAMPLE_EVENTS.TrainingRunStarted, configuration: JSON.stringify({ iteration }) };
    await append(run);
    await append({ ...EXAMPLE_EVENTS.TrainingRunRejected, runId: run.runId });
    return { runId: run.runId, status: 'refused', adapterDigest: null, reason: 'no', metrics: {} };
  };
  const [shown, untracked]: [TrackedRun[], string[]] = [[], []];
  const track = (run: TrackedRun): Promise<Tracked> =>
    isTrackerGone ? Promise.reject(new Error('disk full')) : Promise.resolve({ added: shown.push(run), where: '' });
  const idle = { maxAttempts: 9, maxSeconds: 900, mostCost: 0.2 };
  const heard = feedbackSeconds === undefined ? {} : { feedbackSeconds };
  const config = resolveRestEm({ trainer: {}, set: { iterations: 1, passages: 2, idle, ...heard } });
  const progress = () => ({ advance: () => undefined, stop: () => undefined });
  // The first process alone is asked to stop.
  const stop = new AbortController();
  const signals = [stop.signal];
  const start = () =>
    runRestEm(
      {
        ...{ by: 'ada', clock: systemClock, signal: signals.pop() ?? new AbortController().signal, progress },
        openInput: () => Promise.resolve(bytesInMemory(Buffer.from(`${PASSAGES.join('\n')}\n`))),
        openLog: () => Promise.resolve(log),
        openKeptLog: () => Promise.resolve({ log, snapshots: null }),
        openTrainer: () => Promise.resolve({ train } as TrainerClient),
        onStep({ kind }) {
          if (said.at(-1) !== kind) said.push(kind);
          if (kind === stopAt) stop.abort(new SeamError('ABORTED', 'Cannot finish: it was asked to stop.'));
          if (kind === 'rest' || kind === 'wait') void answerAll();
        },
        ...{ onTraining: () => undefined, onTrained: () => undefined },
        ...{ tracker: { track }, onUntracked: (reason: string) => untracked.push(reason) },
      },
      'passages.jsonl',
      (file) => settingsFor(file, { fractions: '0.9,0.05,0.05', splitSeed: '0' }),
      config,
    );
  return { log, said, asked, shown, untracked, publishOther, progress, start };
}

const published = EXAMPLE_EVENTS.ProblemPublished;

function resultOf(problem: typeof published.problem): SeamEvent {
  const [experienceId, groupId] = [`${problem.problemId}/0`, `${problem.problemId}/g`];
  const meta = { ...EXAMPLE_EVENTS.OutcomeRecorded.meta, messageId: experienceId };
  const place = { problem, experienceId, groupId, candidateIndex: 0, groupSize: 1, attemptId: null };
  return { ...EXAMPLE_EVENTS.OutcomeRecorded, ...place, meta };
}
