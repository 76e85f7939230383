/** Answers without a verifier come to an end: by feedback, or ungraded at their deadline. */
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, GROUP, type SeamEvent, TOPIC, tenantsAttempt } from '@seamstream/events';
import type { Clock } from '@seamstream/kernel';
import { type DeliveredBatch, done, type HandlerResult, type RationedLines, wait } from '@seamstream/service-kit';
import type { OpenAnswers } from './open-answers.js';
import { refusalOf, refusedFeedback, settledByFeedback, ungradedAt } from './settle-answers.decide.js';

/** Answers that are ended in one step. */
const STEP = 100;
/** Milliseconds between two looks at answers that wait: what a deadline may be late by, and what waiting costs. */
const LOOK_EVERY_MS = 1_000;
const LEAST_WAIT_MS = 20;

export interface SettleAnswersDependencies {
  readonly log: EventLog;
  readonly answers: OpenAnswers;
  readonly clock: Clock;
  readonly lines: RationedLines;
  /** Called for each end: `judged`, `ungraded`, or why feedback was refused. */
  readonly onSettled: (result: string) => void;
}

function latestOf(deadlines: ReadonlyMap<string, readonly number[]>): number {
  return [...deadlines.values()].flat().reduce((latest, each) => Math.max(latest, each));
}

export class SettleAnswersHandler {
  constructor(private readonly dependencies: SettleAnswersDependencies) {}

  /**
   * Consumes seam.answers: ends all overdue answers of the partition, and waits at the first one that is not overdue. An answer that is
   * ended out of turn cannot be committed with an offset, so its end is appended. A repetition reads first that it has ended.
   */
  async endOverdue(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    const { answers, log, clock, onSettled } = this.dependencies;
    const { partition } = batch;
    const known = await answers.readOn(partition);
    const nowMs = clock.now();
    const overdue = known.overdue(nowMs);
    const mayEnd = overdue.size > 0 && (await this.isJudgedTo(latestOf(overdue)));
    // What was judged meanwhile has ended.
    if (mayEnd) await answers.readOn(partition);
    const ended = await answers.mayHaveEnded(partition);
    const attempts = mayEnd ? [...overdue.keys()].filter((attempt) => !ended.has(attempt)) : [];
    for (let at = 0; at < attempts.length && !batch.signal.aborted; at += STEP) {
      const events: SeamEvent[] = [];
      for (const attempt of attempts.slice(at, at + STEP)) {
        const answer = await answers.toSettle(partition, attempt);
        if (answer !== undefined && known.isOver(attempt, nowMs)) events.push(...ungradedAt(answer, nowMs));
      }
      if (events.length === 0) continue;
      await log.append(events.map(encodeEvent));
      events.filter(({ type }) => type === 'AttemptUngraded').forEach(() => onSettled('ungraded'));
    }
    if (mayEnd) await answers.readOn(partition);
    const waiting = known.waiting();
    // What is overdue and may not end yet waits for feedback to be looked at, which takes what it takes.
    const nextMs = known.open
      .values()
      .filter(({ feedbackUntil }) => feedbackUntil >= nowMs)
      .reduce((least, { feedbackUntil }) => Math.min(least, feedbackUntil), Infinity);
    const afterMs = Math.min(LOOK_EVERY_MS, Math.max(LEAST_WAIT_MS, nextMs + 1 - nowMs));
    return batch.records.map(({ position: { offset } }) => (waiting.has(offset) ? wait(afterMs) : done()));
  }

  /** Whether all feedback up to this deadline was looked at. It may be unread where no judge ran at their deadline. */
  private async isJudgedTo(untilMs: number): Promise<boolean> {
    const { log } = this.dependencies;
    const committed = (await log.committedOffsets(GROUP.judge)).filter(({ topic }) => topic === TOPIC.feedback);
    for (const { partition, low } of await log.watermarks(TOPIC.feedback)) {
      const place = committed.find((each) => each.partition === partition)?.nextOffset ?? low;
      if (place < (await log.offsetForTime(TOPIC.feedback, partition, untilMs + 1))) return false;
    }
    return true;
  }

  /** Consumes seam.feedback: judges the answers that wait for it, and refuses all other feedback with a reason. */
  async judge(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    const taken = new Set<string>();
    const results: HandlerResult[] = [];
    for (const { event } of batch.records)
      results.push(event.type === 'FeedbackGiven' ? done(await this.judged(event, taken)) : done());
    return results;
  }

  /** @param taken attempts that feedback of this batch has settled, which is not in the log yet, each with its tenant */
  private async judged(feedback: EventOf<'FeedbackGiven'>, taken: Set<string>): Promise<readonly SeamEvent[]> {
    const { answers, clock, lines, onSettled } = this.dependencies;
    const { attemptId, problemId, by } = feedback;
    const partition = await answers.partitionOf(problemId);
    const known = await answers.readOn(partition);
    const own = tenantsAttempt(feedback);
    const answer = await answers.toSettle(partition, own);
    const settled = taken.has(own) ? { isOfSession: false } : known.settledAs(own);
    const refusal = refusalOf(feedback, answer && known.open.get(own), settled);
    if (refusal !== undefined) {
      onSettled(refusal.reason);
      lines.warn(refusal.reason, { attemptId, by, ...refusal }, 'feedback ENDS NO WAIT');
      return [refusedFeedback(feedback, refusal, clock.now())];
    }
    taken.add(own);
    onSettled('judged');
    return settledByFeedback(answer!, feedback, clock.now());
  }
}
