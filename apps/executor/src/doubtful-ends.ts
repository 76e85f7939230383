/**
 * Ends of waits whose result is not in the log yet. On Kafka a reader may see an end a moment before the result of the same transaction; any
 * client may append one without a result. So an end waits here for its result, and is foreign where none comes. An attempt is held up so
 * once: its own end has one id.
 */
import { tenantsAttempt } from '@seamstream/events';
import type { WrittenResults } from '@seamstream/evidence';
import type { Clock } from '@seamstream/kernel';
import type { PartitionAnswers, PlacedEnd } from './partition-answers.js';

export const RESULT_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 1_000;
/** Of one partition; later ones are foreign at once. */
const MOST_WAITING = 10_000;
/** Ids of ends that had no result in time. */
const MOST_REFUSED = 20_000;

interface DoubtfulEnd extends PlacedEnd {
  readonly untilMs: number;
}

export class DoubtfulEnds {
  private waiting: DoubtfulEnd[] = [];
  private readonly refused = new Set<string>();
  private lookedMs = 0;

  /** @param onForeign receives the offset of each end that has no result */
  constructor(
    private readonly answers: PartitionAnswers,
    private readonly results: WrittenResults,
    private readonly clock: Clock,
    private readonly onForeign: (offset: number) => void,
  ) {}

  add(end: PlacedEnd): void {
    if (this.waiting.length >= MOST_WAITING || this.refused.has(end.event.meta.messageId)) this.onForeign(end.offset);
    else this.waiting.push({ ...end, untilMs: this.clock.now() + RESULT_WITHIN_MS });
  }

  /** Attempts of tenants that may have ended. */
  attempts(): ReadonlySet<string> {
    return new Set(this.waiting.map(({ event }) => tenantsAttempt(event)));
  }

  /** Ends whose result has come meanwhile count; those for which none came in time are foreign. */
  async look(): Promise<void> {
    const nowMs = this.clock.now();
    // An answer has come that says what its end is.
    const open: DoubtfulEnd[] = [];
    for (const end of this.waiting)
      if (this.answers.mayEnd(end.event)) open.push(end);
      else this.answers.ended(end.event, end.offset);
    this.waiting = open;
    if (this.waiting.length === 0 || nowMs < this.lookedMs + LOOK_EVERY_MS) return;
    this.lookedMs = nowMs;
    const borneOut = await this.results.borneOut(this.waiting);
    const left: DoubtfulEnd[] = [];
    for (const end of this.waiting)
      if (borneOut.has(end)) this.answers.ended(end.event, end.offset);
      else if (nowMs < end.untilMs) left.push(end);
      else this.refuse(end);
    this.waiting = left;
  }

  private refuse({ event: { meta }, offset }: DoubtfulEnd): void {
    this.onForeign(offset);
    this.refused.add(meta.messageId);
    if (this.refused.size <= MOST_REFUSED) return;
    const [oldest] = this.refused;
    this.refused.delete(oldest!);
  }
}
