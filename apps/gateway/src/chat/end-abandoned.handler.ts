/**
 * Ends requests whose gateway died before it had recorded an answer: without a result they would be in flight for ever. Any instance may do
 * it. The result's id follows from its experience, so two that do it at once record one failure.
 */
import type { EventLog } from '@seamstream/event-log';
import { copyOf, type EventOf, encodeEvent, TOPIC, type TopicName } from '@seamstream/events';
import { type Clock, sleep } from '@seamstream/kernel';
import { rangesSince, readEvents } from '@seamstream/log-reader';
import { SOURCE } from '../source.js';
import { armOf, executionFailed, treatmentOf } from './chat-events.decide.js';
import type { RecordedRequest } from './record-chat.js';

export interface EndAbandonedSettings {
  /** No request is answered later than that. */
  readonly answerWithinMs: number;
  readonly inlineContentBytes: number;
}

/** Beyond the longest request, for clocks that differ. */
const GRACE_MS = 60_000;
/** So far back requests are looked for: a log is not read from its beginning for them. */
const LOOK_BACK_MS = 7 * 86_400_000;

export class EndAbandonedHandler {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly settings: EndAbandonedSettings,
    private readonly graceMs = GRACE_MS,
  ) {}

  /** At once, and again and again until the signal aborts. */
  async run(signal: AbortSignal, onFault: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      await this.handle().catch(onFault);
      await sleep(Math.max(1_000, this.settings.answerWithinMs / 2), signal);
    }
  }

  /** @returns how many requests it ended */
  async handle(): Promise<number> {
    const nowMs = this.clock.now();
    // 1. Requests whose time is over. They are read before results, so that no result of theirs is missed.
    const open = new Map<string, RecordedRequest>();
    for await (const { event, place } of this.eventsSince(TOPIC.problems, nowMs)) {
      if (event.type !== 'ProblemPublished' || event.answeredBy !== SOURCE) continue;
      if (event.meta.occurredAt + this.settings.answerWithinMs + this.graceMs > nowMs) continue;
      const copy = copyOf(event.problem, place, this.settings.inlineContentBytes);
      open.set(event.problem.problemId, { published: event, copy });
    }
    // 2. Without those that have an answer or a result.
    for (const topic of [TOPIC.answers, TOPIC.outcomes]) {
      if (open.size === 0) return 0;
      for await (const { key } of this.eventsSince(topic, nowMs, open)) open.delete(key);
    }
    if (open.size === 0) return 0;
    // 3. What is left failed, each with what was written for it.
    const experiences = new Map<string, EventOf<'ExperienceGenerated'>>();
    for await (const { event, key } of this.eventsSince(TOPIC.experiences, nowMs, open))
      if (event.type === 'ExperienceGenerated') experiences.set(key, event);
    const reason = 'the gateway ended before the answer was recorded';
    await this.log.append(
      [...open].map(([problemId, request]) => {
        const { assignment } = request.published;
        const arm = assignment ? armOf(assignment) : 'deploy';
        const treatment = treatmentOf(arm, experiences.get(problemId) ?? null);
        const fault = { code: 'ABORTED', reason, attempts: 1, nowMs } as const;
        return encodeEvent(executionFailed({ ...request, treatment }, fault));
      }),
    );
    return open.size;
  }

  private async *eventsSince(topic: TopicName, nowMs: number, keys?: ReadonlyMap<string, unknown>) {
    // Not as they are stored: a topic that is missing must not pass for one without results.
    const marks = await this.log.watermarks(topic);
    const all = marks.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
    const ranges = await rangesSince(this.log, all, nowMs - LOOK_BACK_MS);
    const wants = ({ key }: { readonly key: string | null }): boolean => keys === undefined || keys.has(key ?? '');
    for await (const { events } of readEvents(this.log, ranges, { undecodable: 'skip', wants }))
      for (const { event, record } of events) yield { event, key: record.key ?? '', place: record };
  }
}
