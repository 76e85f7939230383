/** Training and verification that a person asks for; the same plans, runs and events as the services' own. */
import type { EventLog } from '@seamstream/event-log';
import type { SeamEvent } from '@seamstream/events';
import { type Clock, canonicalJson, newId, SeamError, sha256, shortId } from '@seamstream/kernel';
import { servedIn } from '@seamstream/release';
import { holdRun } from './hold-run.js';
import type { PlanRunHandler } from './plan-run.handler.js';
import { runMeta } from './run-events.js';
import type { RunLeases } from './run-lease.js';
import { plannedEvent, planOf, type RunPlan, type RunRetention } from './run-plan.js';
import type { Rehearsal, RunTraining, VerifiedAdapter } from './run-training.js';
import type { TrainingHistory, TrainingHistoryReader } from './training-history.js';
import type { TrainingRequest } from './training-request.js';
import { hasEnded } from './training-run.js';

/** The queue of runs that no worker takes: the process that planned one carries it out. */
const NO_QUEUE = '';

interface TrainOnDemandDependencies {
  readonly log: EventLog;
  readonly history: TrainingHistoryReader;
  readonly planRun: PlanRunHandler;
  readonly runTraining: RunTraining;
  readonly leases: RunLeases;
  readonly clock: Clock;
}

/** Settings are tried one after the other. */
interface Trials {
  /** SHA-256 of what all learn from, begin with and are measured on: trials of equal ones may be compared. */
  readonly basis: string;
  /** By validation problem: whether what is served solves it; null where it could not be judged. */
  before(): Promise<readonly (boolean | null)[]>;
  /** @param settings of the algorithm, complete */
  measure(settings: Readonly<Record<string, unknown>>): Promise<Rehearsal>;
}

export class TrainOnDemandHandler {
  constructor(private readonly dependencies: TrainOnDemandDependencies) {}

  /**
   * Plans a run and carries it out here. Asked again for the same, a killed run is resumed, and an ended one is left alone.
   * @throws DATA_REFUSED before any training, for a plan that the log does not bear out; CONFLICT where another process carries it out, or where it was planned to keep less of old problems; nothing of it is touched
   * @returns the run's id and the event that ended it, none when it had ended before; and why its promotion does not count, where
   * another one, the stream's perhaps, was just ahead of it
   */
  async handle(
    request: TrainingRequest,
    signal: AbortSignal,
  ): Promise<{ readonly runId: string; readonly ending: readonly SeamEvent[]; readonly overtaken: string | null }> {
    const { history, planRun, leases } = this.dependencies;
    const known = await history.read();
    const plan = plannedFor(request, known) ?? (await planRun.onDemand(request, known));
    const asked = { holder: newId(), by: request.by ?? null };
    return leases.alone(plan.runId, asked, signal, () => this.carryOut(plan, asked.by, signal));
  }

  private carryOut(plan: RunPlan, by: string | null, signal: AbortSignal): ReturnType<TrainOnDemandHandler['handle']> {
    const { log, history, runTraining, clock } = this.dependencies;
    const { runId } = plan;
    return holdRun(log, runId, signal, async (holder) => {
      if (!(await history.read()).runs.has(runId)) {
        // No reader of the log would believe the plan, nor count what its run comes to.
        const doubt = await history.doubtAbout(plan);
        if (doubt !== undefined) throw notBelieved(plan, doubt);
        const planned = plannedEvent(plan, NO_QUEUE, runMeta(runId, 'planned', clock.now()));
        await holder.record([{ type: 'TrainingRunPlanned', ...planned, plannedBy: by }]);
      }
      const ending = await runTraining.carryOut(plan, holder);
      if (ending === undefined) return { runId, ending: [], overtaken: null };
      const { decisions } = servedIn((await history.read()).slots, plan.slot);
      const late = decisions.find(
        ({ event, status }) => status === 'overtaken' && event.meta.messageId === ending.meta.messageId,
      );
      return { runId, ending: [ending], overtaken: late?.reason ?? null };
    });
  }

  /**
   * Trials of an algorithm's settings, on what the log holds now and from what is served now. They record nothing.
   * @param request what is read follows from its settings
   */
  async trials(request: Pick<TrainingRequest, 'algorithm' | 'settings'>, signal: AbortSignal): Promise<Trials> {
    const { history, planRun, runTraining } = this.dependencies;
    const known = await history.read();
    const basis = await planRun.onDemand(request, known);
    const { inputs, seed, baseModelDigest, parentAdapter, configuration } = basis;
    const { domains, evaluation, feedback } = configuration;
    const heard = feedback === undefined ? [] : [feedback];
    return {
      basis: sha256(canonicalJson([inputs, seed, baseModelDigest, parentAdapter, domains, evaluation, ...heard])),
      before: () => runTraining.measureParent(basis, signal),
      measure: (settings) =>
        runTraining.rehearse({ ...basis, configuration: { ...configuration, algorithm: { ...settings } } }, signal),
    };
  }

  /** Does the recorded run of an adapter again and compares digests. @throws NOT_FOUND */
  verify(adapterDigest: string, signal: AbortSignal): Promise<VerifiedAdapter> {
    return this.dependencies.runTraining.verify(adapterDigest, signal);
  }
}

/** The run that was planned for an iteration before this process began; undefined where none was. @throws CONFLICT */
function plannedFor({ iteration, retention }: TrainingRequest, { runs }: TrainingHistory): RunPlan | undefined {
  if (iteration === undefined) return undefined;
  for (const run of runs.values()) {
    if (run.status === 'unknown') continue;
    const plan = planOf(run.plan);
    const { of, index } = plan.configuration.iteration ?? {};
    if (of !== iteration.of || index !== iteration.index) continue;
    if (retention !== undefined && !hasEnded(run)) checkRetention(plan, retention);
    return plan;
  }
  return undefined;
}

function notBelieved({ runId, algorithm, slot }: RunPlan, doubt: string): SeamError {
  return new SeamError(
    'DATA_REFUSED',
    `Cannot train ${algorithm} for slot ${slot}: expected a plan that the log bears out, got one that is not believed: ${doubt}. Nothing was trained or recorded. Correct what the run learns from, or its slot.`,
    { details: { runId } },
  );
}

/** What decides on a run is what it was planned with. It would be promoted although it costs more than may be lost now. */
function checkRetention({ runId, configuration }: RunPlan, { mostCost }: RunRetention): void {
  const planned = configuration.retention?.mostCost;
  if (planned !== undefined && planned <= mostCost) return;
  const id = shortId(runId);
  throw new SeamError(
    'CONFLICT',
    `Cannot continue training run ${id}: expected one that may cost at most ${mostCost} of old problems, got one that was planned with ${planned ?? 'no such limit'}. Cancel it first (seam runs cancel ${id}).`,
    { details: { runId } },
  );
}
