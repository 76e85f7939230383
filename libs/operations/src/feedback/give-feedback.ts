/** A person's judgement of an answer that no verifier judges. The executor's service decides whether it counts. */
import type { EventLog, RecordPosition } from '@seamstream/event-log';
import {
  attemptIdOf,
  type EventOf,
  encodeEvent,
  originMeta,
  type ProblemCopy,
  promptOrName,
  TOPIC,
  tenantOf,
  tenantsAttempt,
} from '@seamstream/events';
import { type ExpectedEnd, expectedEnd, isEndOf, ProblemContents, WrittenResults } from '@seamstream/evidence';
import { type Clock, count, excerpt, isMeant, LEAST_OF_ID, onOneLine, SeamError } from '@seamstream/kernel';
import { type ReadingProgress, readEvents, storedRanges } from '@seamstream/log-reader';

/** Attempts that are named. */
const NAMED = 10;
/** Records of one attempt that may be its answer: a client may have written the first. */
const MOST_ANSWERS = 100;

export interface WaitingAnswer {
  readonly problemId: string;
  readonly attemptId: string;
  readonly tenant: string;
  readonly prompt: string;
  readonly response: string;
  /** Milliseconds since the Unix epoch. */
  readonly answeredAt: number;
  readonly feedbackUntil: number;
}

interface ReadingOptions {
  readonly signal: AbortSignal;
  readonly progress: (total: number) => ReadingProgress;
}

/** An answer that no feedback counts for. */
interface EndedAnswer extends Pick<WaitingAnswer, 'problemId' | 'attemptId' | 'tenant'> {
  /** By feedback, by its deadline, or from the start: the adapter of a session answered. */
  readonly end: 'judged' | 'ungraded' | 'of a session';
}

interface KnownAnswers {
  /** By attempt of a tenant, in the order of reading. */
  readonly waiting: ReadonlyMap<string, WaitingAnswer>;
  /** The same, of those that wait no longer. */
  readonly ended: ReadonlyMap<string, EndedAnswer>;
}

/** Answers that are not judged and whose time is not up, those that end first before the others. */
export async function waitingAnswers(
  log: EventLog,
  nowMs: number,
  options: ReadingOptions,
): Promise<readonly WaitingAnswer[]> {
  const { waiting } = await readAnswers(log, options);
  return [...waiting.values()]
    .filter(({ feedbackUntil }) => feedbackUntil >= nowMs)
    .sort((a, b) => a.feedbackUntil - b.feedbackUntil);
}

type OpenAnswer = WaitingAnswer & { readonly problem: ProblemCopy };

/** What the topic of answers says of attempts. */
class AnswersRead {
  readonly waiting = new Map<string, OpenAnswer>();
  readonly ended = new Map<string, EndedAnswer>();
  private readonly ends = new Map<string, ExpectedEnd[]>();

  answered(event: EventOf<'AnswerRecorded'>): void {
    const attempt = tenantsAttempt(event);
    const { problem, response, meta, feedbackUntil, sessionAdapter = null } = event;
    const named = { problemId: problem.problemId, attemptId: attemptIdOf(event), tenant: tenantOf(meta) };
    const ends = this.ends.get(attempt) ?? [];
    this.ends.set(attempt, ends);
    if (ends.length < MOST_ANSWERS) ends.push(expectedEnd(event));
    if (this.ended.has(attempt) || this.waiting.has(attempt)) return;
    if (sessionAdapter !== null) this.ended.set(attempt, { ...named, end: 'of a session' });
    else
      this.waiting.set(attempt, {
        ...{ ...named, problem, prompt: promptOrName(problem), response },
        ...{ answeredAt: meta.occurredAt, feedbackUntil },
      });
  }

  /** @param isBorneOut whether the log has the result that the end names */
  settled(event: EventOf<'AnswerSettled'>, isBorneOut: boolean): void {
    const attempt = tenantsAttempt(event);
    const { problemId, attemptId, feedbackId, meta } = event;
    if (this.ended.has(attempt) || this.ends.get(attempt)?.some((each) => isEndOf(event, each)) !== true) return;
    if (!isBorneOut) return;
    this.waiting.delete(attempt);
    this.ended.set(attempt, {
      ...{ problemId, attemptId, tenant: tenantOf(meta) },
      end: feedbackId === null ? 'ungraded' : 'judged',
    });
  }
}

async function readAnswers(log: EventLog, { signal, progress }: ReadingOptions): Promise<KnownAnswers> {
  const ranges = await storedRanges(log, TOPIC.answers);
  const bar = progress(ranges.reduce((sum, { from, to }) => sum + to - from, 0));
  const read = new AnswersRead();
  const results = new WrittenResults(log);
  try {
    for await (const { events, records } of readEvents(log, ranges, { undecodable: 'skip', signal })) {
      const ends = events.flatMap(({ event, record: { timestampMs } }) =>
        event.type === 'AnswerSettled' ? [{ event, timestampMs }] : [],
      );
      const borneOut = new Set([...(await results.borneOut(ends))].map(({ event }) => event));
      for (const { event } of events)
        if (event.type === 'AnswerSettled') read.settled(event, borneOut.has(event));
        else if (event.type === 'AnswerRecorded') read.answered(event);
      bar.advance(records.length);
    }
  } finally {
    bar.stop();
  }
  const { waiting, ended } = read;
  // Only of those that wait still.
  const problems = await new ProblemContents(log).find([...waiting.values()].map(({ problem }) => problem));
  const answers = [...waiting].map(([attempt, { problem, ...answer }], index): [string, WaitingAnswer] => {
    const prompt = promptOrName(problems[index] ?? problem);
    return [attempt, { ...answer, prompt }];
  });
  return { waiting: new Map(answers), ended };
}

export interface FeedbackRequest {
  /** Id of an attempt, of an experience that was tried once, or of a problem with one waiting answer; its beginning is enough. */
  readonly meant: string;
  /** Whose answer it is; of any tenant where it is absent. */
  readonly tenant?: string | undefined;
  /** 0 … 1 */
  readonly score: number;
  readonly by: string;
  readonly reason: string;
  /** Of the event; a fresh UUID. */
  readonly messageId: string;
}

export interface GivenFeedback {
  readonly messageId: string;
  readonly answer: WaitingAnswer;
  readonly position: RecordPosition;
}

/**
 * Appends feedback on one answer that waits for it.
 * @throws INVALID_INPUT for a score outside of 0 … 1 and where several answers may be meant, NOT_FOUND where none waits, CONFLICT where it was
 * judged before, its time is up, or the adapter of a session gave it
 */
export async function giveFeedback(
  log: EventLog,
  { meant, tenant: asked, score, by, reason, messageId }: FeedbackRequest,
  { clock, ...options }: ReadingOptions & { readonly clock: Clock },
): Promise<GivenFeedback> {
  if (!(score >= 0 && score <= 1))
    throw new SeamError('INVALID_INPUT', `Cannot give feedback: expected a score of 0 to 1, got ${score}.`);
  const answer = answerMeant(meant, asked, await readAnswers(log, options));
  const nowMs = clock.now();
  if (answer.feedbackUntil < nowMs)
    throw new SeamError(
      'CONFLICT',
      `Cannot judge attempt ${answer.attemptId}: expected it before ${new Date(answer.feedbackUntil).toISOString()}, got it later. It is ungraded; publish the problem again to get a new answer.`,
    );
  // Who may write to the log judges for any tenant.
  const { problemId, attemptId, tenant } = answer;
  const [position] = await log.append([
    encodeEvent({
      type: 'FeedbackGiven',
      meta: originMeta({
        ...{ messageId, correlationId: problemId, source: 'seam/cli' },
        ...{ occurredAt: nowMs, sourceClass: 'user', tenant },
      }),
      ...{ problemId, attemptId, score, by, reason },
    }),
  ]);
  return { messageId, answer, position: position! };
}

/** Why feedback on an answer that has ended does not count. */
const ENDS: Readonly<Record<EndedAnswer['end'], string>> = {
  judged: 'expected an answer that waits for feedback, got one that was judged before. See it with "seam show".',
  ungraded:
    'expected an answer that waits for feedback, got one that ended ungraded. Publish the problem again to get a new answer.',
  'of a session':
    "expected an answer of the frozen executor, got one of a session's adapter. Such an answer is never judged: it is ungraded, and no result. Ask without the session to get one that waits.",
};

function answerMeant(meant: string, asked: string | undefined, { waiting, ended }: KnownAnswers): WaitingAnswer {
  const isAsked = ({ tenant }: Pick<WaitingAnswer, 'tenant'>): boolean => asked === undefined || tenant === asked;
  const answers = [...waiting.values()].filter(isAsked);
  const exact = answers.filter(({ attemptId }) => attemptId === meant);
  const found =
    exact.length > 0
      ? exact
      : answers.filter(({ attemptId, problemId }) => isMeant(meant, attemptId) || isMeant(meant, problemId));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const name = excerpt(meant);
  if (found.length > 1) {
    const lines = found
      .slice(0, NAMED)
      .map(
        ({ attemptId, tenant, response }) =>
          `  ${onOneLine(attemptId)}  ${onOneLine(tenant)}  ${excerpt(response, 60)}`,
      );
    const rest = found.length > NAMED ? [`  … and ${count(found.length - NAMED)} more`] : [];
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot judge "${name}": expected one answer, got ${count(found.length)} that wait. Name the attempt, or the tenant (--tenant).\n${[...lines, ...rest].join('\n')}`,
      { details: { meant, attempts: found.slice(0, 100).map(({ attemptId }) => attemptId) } },
    );
  }
  const over = [...ended.values()].find(
    (each) => isAsked(each) && (isMeant(meant, each.attemptId) || isMeant(meant, each.problemId)),
  );
  if (over !== undefined)
    throw new SeamError('CONFLICT', `Cannot judge "${name}": ${ENDS[over.end]}`, { details: { meant, end: over.end } });
  throw new SeamError(
    'NOT_FOUND',
    `Cannot judge "${name}": expected the id of an attempt or a problem whose answer waits, or at least ${LEAST_OF_ID} characters of its beginning, got none of the ${count(waiting.size)} that wait. List them with "seam feedback".`,
    { details: { meant } },
  );
}
