/** A person's judgement of an answer that no verifier judges. The executor's service decides whether it counts. */
import type { EventLog, RecordPosition } from '@seamstream/event-log';
import {
  attemptIdOf,
  encodeEvent,
  originMeta,
  type ProblemCopy,
  promptOrName,
  TOPIC,
  tenantOf,
  tenantsAttempt,
} from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import { type Clock, count, excerpt, isMeant, LEAST_OF_ID, onOneLine, SeamError } from '@seamstream/kernel';
import { type ReadingProgress, readEvents, storedRanges } from '@seamstream/log-reader';

/** Attempts that are named. */
const NAMED = 10;

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

interface KnownAnswers {
  /** By attempt of a tenant, in the order of reading. */
  readonly waiting: ReadonlyMap<string, WaitingAnswer>;
  /** The same, of those that wait no longer. */
  readonly settled: ReadonlyMap<string, Pick<WaitingAnswer, 'problemId' | 'attemptId'>>;
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

async function readAnswers(log: EventLog, { signal, progress }: ReadingOptions): Promise<KnownAnswers> {
  const ranges = await storedRanges(log, TOPIC.answers);
  const bar = progress(ranges.reduce((sum, { from, to }) => sum + to - from, 0));
  const waiting = new Map<string, WaitingAnswer & { readonly problem: ProblemCopy }>();
  const settled = new Map<string, Pick<WaitingAnswer, 'problemId' | 'attemptId'>>();
  try {
    for await (const { events, records } of readEvents(log, ranges, { undecodable: 'skip', signal })) {
      for (const { event } of events) {
        if (event.type === 'AnswerSettled') {
          waiting.delete(tenantsAttempt(event));
          settled.set(tenantsAttempt(event), event);
        } else if (event.type === 'AnswerRecorded') {
          const attempt = tenantsAttempt(event);
          if (settled.has(attempt) || waiting.has(attempt)) continue;
          const { problem, response, meta, feedbackUntil } = event;
          const { problemId } = problem;
          waiting.set(attempt, {
            problemId,
            attemptId: attemptIdOf(event),
            tenant: tenantOf(meta),
            problem,
            prompt: promptOrName(problem),
            response,
            answeredAt: meta.occurredAt,
            feedbackUntil,
          });
        }
      }
      bar.advance(records.length);
    }
  } finally {
    bar.stop();
  }
  // Only of those that wait still.
  const problems = await new ProblemContents(log).find([...waiting.values()].map(({ problem }) => problem));
  const answers = [...waiting].map(([attempt, { problem, ...answer }], index): [string, WaitingAnswer] => {
    const prompt = promptOrName(problems[index] ?? problem);
    return [attempt, { ...answer, prompt }];
  });
  return { waiting: new Map(answers), settled };
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
 * judged before or its time is up
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

function answerMeant(meant: string, asked: string | undefined, { waiting, settled }: KnownAnswers): WaitingAnswer {
  const answers = [...waiting.values()].filter(({ tenant }) => asked === undefined || tenant === asked);
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
  if ([...settled.values()].some(({ attemptId, problemId }) => isMeant(meant, attemptId) || isMeant(meant, problemId)))
    throw new SeamError(
      'CONFLICT',
      `Cannot judge "${name}": expected an answer that waits for feedback, got one that was settled before. See it with "seam show".`,
      { details: { meant } },
    );
  throw new SeamError(
    'NOT_FOUND',
    `Cannot judge "${name}": expected the id of an attempt or a problem whose answer waits, or at least ${LEAST_OF_ID} characters of its beginning, got none of the ${count(waiting.size)} that wait. List them with "seam feedback".`,
    { details: { meant } },
  );
}
