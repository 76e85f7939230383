/** What the rounds recorded of each answer: what the learner had, every baseline has. */
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, type Problem, TOPIC } from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import { compareText } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import { placeInStream } from './problem-stream.js';

/** A judged answer of the rounds. */
export interface RecordedAttempt {
  readonly problem: Pick<Problem, 'problemId' | 'domain' | 'prompt' | 'reference'>;
  /** Null where the executor was asked without one. */
  readonly entry: string | null;
  readonly response: string;
  readonly success: boolean;
  /** That asked. */
  readonly round: number;
  /** Of the round. */
  readonly phase: 'base' | 'shifted';
}

/** Every judged answer of the rounds, in the order of the stream. */
export async function readRecordedAttempts(log: EventLog): Promise<readonly RecordedAttempt[]> {
  const contents = new ProblemContents(log);
  const found: (RecordedAttempt & { readonly order: readonly [round: number, id: string] })[] = [];
  for await (const { events } of readTopics(log, [TOPIC.outcomes], { undecodable: 'skip' })) {
    const outcomes = events.flatMap(({ event }) => (event.type === 'OutcomeRecorded' ? [event] : []));
    for (const event of await contents.fill<EventOf<'OutcomeRecorded'>>(outcomes)) {
      const { problem, entry, response, success, experienceId } = event;
      const place = placeInStream(problem);
      if (place === null || typeof problem.prompt !== 'string') continue;
      const { problemId, domain, prompt, reference } = problem;
      const { phase, round } = place;
      const order = [round, experienceId] as const;
      found.push({ problem: { problemId, domain, prompt, reference }, entry, response, success, round, phase, order });
    }
  }
  return found.sort(({ order: [a, one] }, { order: [b, other] }) => a - b || compareText(one, other));
}
