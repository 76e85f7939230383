/** The trainer's own handlers, driven on demand instead of by its service. */
import type { Problem, SeamEvent } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import type {
  AdapterVerification,
  TrainerClient,
  TrainingOutcome,
  TrainingStepReport,
  Trials,
} from './training-client.js';

/** How the trainer reports a run. */
interface TrainingProgress {
  readonly runId: string;
  readonly algorithm: string;
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** What is used of the trainer's composition. */
interface OnDemand {
  readonly onDemand: {
    handle(
      request: {
        readonly algorithm: string;
        readonly settings?: Readonly<Record<string, unknown>>;
        readonly iteration?: { readonly of: string; readonly index: number } | undefined;
        readonly retention?: { readonly mostCost: number; readonly problems: string[] } | undefined;
        readonly by: string;
      },
      signal: AbortSignal,
    ): Promise<{ readonly runId: string; readonly ending: readonly SeamEvent[]; readonly overtaken: string | null }>;
    trials(
      request: { readonly algorithm: string; readonly settings: Readonly<Record<string, unknown>> },
      signal: AbortSignal,
    ): Promise<Trials>;
    verify(
      adapterDigest: string,
      signal: AbortSignal,
    ): Promise<
      {
        readonly runId: string;
        readonly expected: string;
        readonly actual: string | null;
        readonly matches: boolean;
      } & Pick<AdapterVerification, 'comparison' | 'engines'>
    >;
  };
}

interface Assets {
  readonly onProgress: (progress: TrainingProgress) => void;
  readonly validation?: { readonly name: string; readonly problems: readonly Problem[] };
  /** False: the executor is not opened before it is asked. */
  readonly evaluates?: boolean;
}

/** The result of a run, from the events that ended it. @param overtaken why its promotion does not count; null where it does */
export function outcomeOf(runId: string, ending: readonly SeamEvent[], overtaken: string | null): TrainingOutcome {
  for (const event of ending) {
    switch (event.type) {
      case 'AdapterPromoted': {
        const { adapterDigest, rule, evaluation } = event;
        const metrics = evaluation === null ? {} : { success: evaluation.success, problems: evaluation.problems };
        return overtaken === null
          ? { runId, status: 'promoted', adapterDigest, reason: rule, metrics }
          : { runId, status: 'refused', adapterDigest, reason: overtaken, metrics };
      }
      case 'TrainingRunRejected': {
        const { adapterDigest, reason, metrics } = event;
        return { runId, status: 'refused', adapterDigest, reason, metrics };
      }
      case 'TrainingRunFailed':
        return {
          runId,
          status: 'failed',
          adapterDigest: null,
          reason: `${event.code}: ${event.reason}`,
          metrics: event.metrics,
        };
      default:
    }
  }
  if (ending.length > 0) {
    const types = ending.map(({ type }) => type).join(', ');
    throw new SeamError('INTERNAL', `Cannot report training run ${runId}: expected an end, got ${types}.`);
  }
  const reason = 'this very run is in the log already; "seam replay --read-model training" shows its result';
  return { runId, status: 'unchanged', adapterDigest: null, reason, metrics: {} };
}

/** @param create composes the trainer with the given assets: once for all trainings, and once per verification */
export function trainerDoor(create: (assets: Assets) => Promise<OnDemand>): TrainerClient {
  const reporting = (onStep: (report: TrainingStepReport) => void) => (progress: TrainingProgress) =>
    onStep({ phase: progress.phase, step: progress.done, steps: progress.total, metrics: progress.metrics });
  let told: (report: TrainingStepReport) => void = () => undefined;
  let training: Promise<OnDemand> | undefined;
  return {
    async train({ algorithm, configuration, iteration, retention, by }, { signal, onStep }) {
      told = onStep;
      training ??= create({ onProgress: reporting((report) => told(report)) });
      const { onDemand } = await training;
      const { runId, ending, overtaken } = await onDemand.handle(
        { algorithm, settings: configuration, by, iteration, retention },
        signal,
      );
      return outcomeOf(runId, ending, overtaken);
    },
    async trials({ algorithm, configuration }, validation, { signal, onStep }) {
      const { onDemand } = await create({ onProgress: reporting(onStep), validation });
      return onDemand.trials({ algorithm, settings: configuration }, signal);
    },
    async verify(adapterDigest, { signal, onStep }): Promise<AdapterVerification> {
      // Training again evaluates nothing, so neither validation problems nor the executor are needed: it may be gone.
      const { onDemand } = await create({
        onProgress: reporting(onStep),
        validation: { name: 'none', problems: [] },
        evaluates: false,
      });
      const { expected, actual, matches, ...facts } = await onDemand.verify(adapterDigest, signal);
      return { ...facts, recordedDigest: expected, replayedDigest: actual, equal: matches };
    },
  };
}
