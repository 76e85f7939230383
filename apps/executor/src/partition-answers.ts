/** What one partition of seam.answers says of attempts: which of them wait for feedback, and which have waited. Pure. */
import { type EventOf, tenantsAttempt } from '@seamstream/events';
import { isEndOf } from '@seamstream/evidence';
import { type OpenAnswer, openAnswerOf, type SettledAnswer, type Standing } from './settle-answers.decide.js';

/** Attempts of a partition that are remembered as settled, so that refused feedback on them gets the right reason. */
const REMEMBERED_SETTLED = 20_000;
/** Early answers of one attempt that are kept until its experience says which one is true; all later ones are foreign. */
const MOST_EARLY = 1_000;
/**
 * An attempt whose answers are all early ends only after it was overdue here for so long: any client may have appended them, with any
 * deadline. A gateway's true answer, or the experience, comes within minutes. Where neither comes the attempt ends all the same.
 */
export const EARLY_WAIT_MS = 3_600_000;
/** Until the second look for the experience of such an attempt. Each later wait is twice as long, so forged ones cost few looks. */
const EARLY_LOOK_MS = 60_000;
/** Ends of one attempt that are kept until an answer says which one is true. */
const MOST_ENDS = 100;

export interface PlacedAnswer extends OpenAnswer {
  readonly offset: number;
  /** The experience was not there yet. */
  readonly isEarly: boolean;
}

export interface PlacedEnd {
  readonly event: EventOf<'AnswerSettled'>;
  readonly offset: number;
  /** When it was appended. */
  readonly timestampMs: number;
}

export class PartitionAnswers {
  /** By attempt of a tenant, in the order of the log. */
  readonly open = new Map<string, PlacedAnswer>();
  /** Of open attempts whose answer is early, all early ones: any client may have appended the first. */
  private readonly early = new Map<string, PlacedAnswer[]>();
  /** Of those, the overdue ones: since when they are here, and when their experience is looked for again. */
  private readonly awaited = new Map<string, { readonly sinceMs: number; lookMs: number }>();
  /** Of attempts of tenants, their ends. What ended may have been before reading began: then each may be the true one. */
  private readonly settled = new Map<string, readonly Omit<PlacedEnd, 'timestampMs'>[]>();
  /** Attempts that ended, as an answer to them says: whether it is one of a session. No other end takes its place. */
  private readonly confirmed = new Map<string, boolean>();

  /** @param onForeign receives the offset of each record that is of no use */
  constructor(private readonly onForeign: (offset: number) => void) {}

  answered(event: EventOf<'AnswerRecorded'>, offset: number, standing: Standing): void {
    if (standing === 'foreign') {
      this.onForeign(offset);
      return;
    }
    const attempt = tenantsAttempt(event);
    const answer = { ...openAnswerOf(event), offset, isEarly: standing === 'early' };
    this.compareEnds(attempt, answer);
    if (this.settled.has(attempt)) return;
    const known = this.open.get(attempt);
    // Of an answer that is recorded again the first counts, unless its experience had not come by then.
    if (known === undefined || (known.isEarly && !answer.isEarly)) this.open.set(attempt, answer);
    if (!this.open.get(attempt)!.isEarly) {
      this.early.delete(attempt);
      this.awaited.delete(attempt);
    } else this.addEarly(attempt, answer);
  }

  /** Whether it would end a wait, now or once its answer comes: only then its result is asked for. */
  mayEnd(event: EventOf<'AnswerSettled'>): boolean {
    const attempt = tenantsAttempt(event);
    if (this.open.has(attempt)) return this.earlyOf(attempt).some((each) => isEndOf(event, each));
    return !this.confirmed.has(attempt);
  }

  /** The wait of an attempt ends, unless the event says so of another answer. */
  ended(event: EventOf<'AnswerSettled'>, offset: number): void {
    const attempt = tenantsAttempt(event);
    const known = this.open.get(attempt);
    const ends = this.settled.get(attempt) ?? [];
    const own = this.earlyOf(attempt).find((each) => isEndOf(event, each));
    const isFalse = known !== undefined && own === undefined;
    if (isFalse || (known === undefined && this.confirmed.has(attempt)) || ends.length >= MOST_ENDS) {
      this.onForeign(offset);
      return;
    }
    this.close(attempt);
    this.settled.set(attempt, [...ends, { event, offset }]);
    if (own !== undefined) this.confirmed.set(attempt, own.isOfSession);
    if (this.settled.size <= REMEMBERED_SETTLED) return;
    const [oldest] = this.settled.keys();
    this.settled.delete(oldest!);
    this.confirmed.delete(oldest!);
  }

  /** Of another tenant's attempt nothing is said, not even that there was one. @param attempt of a tenant */
  settledAs(attempt: string): SettledAnswer | undefined {
    return this.settled.has(attempt) ? { isOfSession: this.confirmed.get(attempt) ?? false } : undefined;
  }

  /** All answers that may be the one that waits, in the order of the log: one, or several while its experience is to come. */
  earlyOf(attempt: string): readonly PlacedAnswer[] {
    const known = this.open.get(attempt);
    return this.early.get(attempt) ?? (known === undefined ? [] : [known]);
  }

  /**
   * By attempt, the deadlines before this time. Of early answers each may have its own. Whether their experience has come is to be asked
   * now: an attempt that has early ones alone is overdue again a minute later, then after twice the time.
   */
  overdue(nowMs: number): ReadonlyMap<string, readonly number[]> {
    const overdue = new Map<string, readonly number[]>();
    for (const attempt of this.open.keys()) {
      const deadlines = this.earlyOf(attempt).map(({ feedbackUntil }) => feedbackUntil);
      const over = deadlines.filter((each) => each < nowMs);
      if (over.length > 0 && this.takeLook(attempt, nowMs)) overdue.set(attempt, over);
    }
    return overdue;
  }

  /** @returns whether an attempt is to be looked at now; then one with early answers alone waits for its next look. */
  private takeLook(attempt: string, nowMs: number): boolean {
    if (this.open.get(attempt)?.isEarly !== true) return true;
    const known = this.awaited.get(attempt) ?? { sinceMs: nowMs, lookMs: nowMs };
    this.awaited.set(attempt, known);
    if (nowMs < known.lookMs) return false;
    const endMs = known.sinceMs + EARLY_WAIT_MS;
    const nextMs = nowMs + Math.max(EARLY_LOOK_MS, nowMs - known.sinceMs);
    known.lookMs = nowMs < endMs ? Math.min(nextMs, endMs) : nextMs;
    return true;
  }

  /** Whether an attempt waits, and the deadline of each answer that may be its own is before this time, of early ones long enough. */
  isOver(attempt: string, nowMs: number): boolean {
    const { isEarly } = this.open.get(attempt) ?? {};
    if (isEarly === undefined || this.earlyOf(attempt).some(({ feedbackUntil }) => feedbackUntil >= nowMs))
      return false;
    return !isEarly || nowMs - (this.awaited.get(attempt)?.sinceMs ?? nowMs) >= EARLY_WAIT_MS;
  }

  /** Offsets of all answers that wait. */
  waiting(): ReadonlySet<number> {
    return new Set([...this.open.keys()].flatMap((attempt) => this.earlyOf(attempt).map(({ offset }) => offset)));
  }

  /** Takes in what the experience of an attempt says of its early answers. @param standings of each of {@link earlyOf} */
  decided(attempt: string, standings: readonly Standing[]): void {
    const early = this.earlyOf(attempt);
    early.filter((_, at) => standings[at] === 'foreign').forEach(({ offset }) => this.onForeign(offset));
    const own = early.find((_, at) => standings[at] === 'ours');
    if (own !== undefined) {
      this.early.delete(attempt);
      this.awaited.delete(attempt);
      this.open.set(attempt, { ...own, isEarly: false });
      return;
    }
    const left = early.filter((_, at) => standings[at] === 'early');
    if (left.length === 0) {
      this.close(attempt);
      return;
    }
    this.early.set(attempt, left);
    this.open.set(attempt, left[0]!);
  }

  private addEarly(attempt: string, answer: PlacedAnswer): void {
    const known = this.early.get(attempt) ?? [];
    // A new list: who asks for the experiences of the old one sees that there is more.
    if (known.length < MOST_EARLY) this.early.set(attempt, [...known, answer]);
    else this.onForeign(answer.offset);
  }

  /** Of the ends that came before an answer those stay that can be its own. */
  private compareEnds(attempt: string, answer: PlacedAnswer): void {
    const ends = this.settled.get(attempt);
    if (ends === undefined || this.confirmed.has(attempt)) return;
    const own = ends.filter(({ event }) => isEndOf(event, answer));
    ends.filter((each) => !own.includes(each)).forEach(({ offset }) => this.onForeign(offset));
    if (own.length === 0) this.settled.delete(attempt);
    else {
      this.settled.set(attempt, own.slice(0, 1));
      this.confirmed.set(attempt, answer.isOfSession);
    }
  }

  private close(attempt: string): void {
    this.open.delete(attempt);
    this.early.delete(attempt);
    this.awaited.delete(attempt);
  }
}
