/** Training and verification that a person asks for; the same plans, runs and events as the service's own. */
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import type { PlanRunHandler, TrainingRequest } from './plan-run.handler.js';
import type { RunTrainingHandler, VerifiedAdapter } from './run-training.handler.js';
import { readTrainingHistory } from './training-history.js';

export class TrainOnDemandHandler {
  constructor(
    private readonly log: EventLog,
    private readonly planRun: PlanRunHandler,
    private readonly runTraining: RunTrainingHandler,
  ) {}

  /**
   * Runs to the end and appends it. Asked again for the same, a killed run goes on, and an ended one is left alone.
   * @returns the run's id and the events that ended it, none when it had ended before; and why its promotion does not count, where
   * another one, the stream's perhaps, was just ahead of it
   */
  async handle(
    request: TrainingRequest,
    signal: AbortSignal,
  ): Promise<{ readonly runId: string; readonly ending: readonly SeamEvent[]; readonly overtaken: string | null }> {
    const history = await readTrainingHistory(this.log);
    const plan = await this.planRun.onDemand(request, history, signal);
    const record = (events: readonly SeamEvent[]): Promise<unknown> => this.log.append(events.map(encodeEvent));
    const ending = await this.runTraining.handle(plan, history, { signal, record });
    if (ending.length === 0) return { runId: plan.runId, ending, overtaken: null };
    await record(ending);
    const { decisions } = (await readTrainingHistory(this.log)).served;
    const own = new Set(ending.map(({ meta }) => meta.messageId));
    const late = decisions.find(({ event, status }) => status === 'overtaken' && own.has(event.meta.messageId));
    return { runId: plan.runId, ending, overtaken: late?.reason ?? null };
  }

  /** Does the recorded run of an adapter again and compares digests. @throws NOT_FOUND */
  async verify(adapterDigest: string, signal: AbortSignal): Promise<VerifiedAdapter> {
    return this.runTraining.verify(adapterDigest, await readTrainingHistory(this.log), signal);
  }
}
