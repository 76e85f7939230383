/**
 * Experiences to outcomes: the frozen executor answers, the verifier judges. A failure of the infrastructure is tried
 * again and then recorded as what it is; it is never a reward of 0, which would teach that the entry was bad.
 */
import {
  type AnsweringProgress,
  type Attempt,
  type Environment,
  type ExecutorAnswer,
  type ExecutorFailure,
  type ExecutorResponse,
} from '@seamstream/environments';
import {
  deriveMeta,
  type EditRefusal,
  type EventOf,
  isAnsweredElsewhere,
  isGraded,
  isUnwritten,
  type Problem,
  resultRole,
  type SeamEvent,
} from '@seamstream/events';
import { contentMissing, type ProblemContents } from '@seamstream/evidence';
import { type EntrySchemas, type EntryWorth, entryWorth } from '@seamstream/experience';
import { type Clock, type ErrorCode, isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { type ConfiguredReward, type Judgement, judgeAll, UNWRITTEN_CODES } from '@seamstream/rollout';
import {
  type DeliveredBatch,
  type DeliveredRecord,
  defer,
  done,
  type HandlerResult,
  halt,
  retry,
} from '@seamstream/service-kit';
import { finalAnswer, type Verifiers } from '@seamstream/verifiers';
import { RewardedAttempts } from './rewarded-attempts.js';

const SOURCE = 'seam/executor';

type Experience = EventOf<'ExperienceGenerated'> | EventOf<'ExperienceWithheld'>;

/** A record with the whole problem that its experience is about. */
type Task = DeliveredRecord<Experience> & { readonly problem: Problem };

export interface ExecuteExperiencesDependencies {
  readonly environment: Environment;
  readonly schemaFor: EntrySchemas;
  readonly clock: Clock;
  readonly verifiers: Verifiers;
  /** What attempts earn; the verifier's reward when absent. */
  readonly reward?: ConfiguredReward | undefined;
  /** Where the content of large problems is. */
  readonly contents: Pick<ProblemContents, 'find'>;
  /** Milliseconds in which feedback on an answer counts that no verifier judges, where its problem does not say. */
  readonly feedbackWithinMs: number;
  /** Whether an entry that gives the answer away still earns its reward. */
  readonly paysLeaks?: boolean;
  /** Called for each success that earned nothing because its entry gave the answer away. */
  readonly onLeak?: () => void;
  /** Called for each entry that was to quote its problem, with whether it is faithful. */
  readonly onQuoting?: (isFaithful: boolean) => void;
}

export class ExecuteExperiencesHandler {
  private readonly attempts: RewardedAttempts;

  constructor(private readonly dependencies: ExecuteExperiencesDependencies) {
    const { environment, verifiers, reward } = dependencies;
    this.attempts = new RewardedAttempts(environment, verifiers, reward);
  }

  /** One outcome per record, in their order. */
  async handle(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    const { clock } = this.dependencies;
    const startedMs = clock.now();
    const experiences = batch.records.filter((record): record is DeliveredRecord<Experience> =>
      isExperience(record.event),
    );
    /** Those that no executor is asked for: no record of the log makes an outage. */
    const unasked = new Map<SeamEvent, ExecutorFailure>();
    const tasks = new Map<SeamEvent, Task>();
    const problems = await this.dependencies.contents.find(experiences.map(({ event }) => event.problem));
    experiences.forEach((record, index) => {
      const problem = problems[index];
      const unwritten = unwrittenIn(record.event);
      if (unwritten !== undefined) unasked.set(record.event, unwritten);
      else if (problem === undefined) unasked.set(record.event, withoutContent(record.event));
      else tasks.set(record.event, { ...record, problem });
    });
    const given = await this.answersTo([...tasks.values()], batch);
    const answers = new Map<SeamEvent, Attempt>([...tasks.keys()].map((event, index) => [event, given[index]!]));
    const latencyMs = clock.now() - startedMs;
    const first = answers.get(batch.records[0]!.event)?.find(isOutage);
    // Thrown, an outage is waited for as long as it lasts; the attempts of the record are left alone.
    if (first !== undefined) throw new SeamError(first.code, first.reason);
    return Promise.all(
      batch.records.map(async (record) => {
        const { event } = record;
        if (!isExperience(event)) return done();
        const ended = unasked.get(event);
        if (ended !== undefined) return done([this.failed(event, ended, record.attempt)]);
        const own = answers.get(event)!;
        const failure = own.find((answer) => answer.status === 'failed');
        // None of the problems is at fault: what was answered before is committed, the others stay for better times.
        if (failure?.halts === true) return halt(failure.code, failure.reason);
        if (own.some(isOutage)) return defer();
        if (failure?.retryable && !record.isLastAttempt) return retry(failure.code, failure.reason);
        if (failure !== undefined) return done([this.failed(event, failure, record.attempt)]);
        const responses = own.filter((answer) => answer.status === 'answered');
        return this.conclude(tasks.get(event)!, responses, { latencyMs, signal: batch.signal });
      }),
    );
  }

  /** The attempt of each experience, in their order. */
  private async answersTo(
    experiences: readonly Task[],
    { signal, report }: Pick<DeliveredBatch, 'signal' | 'report'>,
  ): Promise<readonly Attempt[]> {
    const tried = experiences.map(({ event, problem }) => ({
      ...{ problem, entry: entryOf(event), seed: event.experienceId },
    }));
    const onProgress = ({ answered, tokens, tokensPerPrompt }: AnsweringProgress): void =>
      report({ records: Math.min(answered, tried.length), tokens, tokensPerRecord: tokensPerPrompt });
    try {
      if (tried.length === 0) return [];
      return await this.attempts.attempt(tried, { signal, onProgress });
    } catch (error) {
      // The transport tries a failing batch again and halves it; only a record that is tried alone is concluded here.
      const [alone] = experiences;
      // Nothing about an experience: the executor is not the one that it was.
      if (isSeamError(error, 'CHECKPOINT_INVALID')) throw error;
      const isRetryable = !isSeamError(error) || error.retryable;
      // Nor is it concluded where the work was asked to stop.
      const isConcluded = experiences.length === 1 && !signal.aborted;
      if (!isConcluded || alone === undefined || (isRetryable && !alone.isLastAttempt)) throw error;
      const code = isSeamError(error) ? error.code : 'INTERNAL';
      return [[{ status: 'failed', code, reason: messageOf(error), retryable: false }]];
    }
  }

  private async conclude(
    task: Task,
    responses: readonly ExecutorResponse[],
    { latencyMs, signal }: { readonly latencyMs: number; readonly signal: AbortSignal },
  ): Promise<HandlerResult> {
    const { event, problem, attempt, isLastAttempt } = task;
    if (!isGraded(problem)) return done([this.answered(task, responses[0]!, latencyMs)]);
    try {
      const judged = await judgeAll(problem, responses, this.dependencies.verifiers);
      const tried = { problem, entry: entryOf(event) };
      const measurement = await this.attempts.measure(tried, responses, judged, signal);
      const editRefusal = refusalOf(responses);
      return done([this.recorded(task, judged.answer, { ...judged.judgement, measurement, editRefusal }, latencyMs)]);
    } catch (error) {
      // The problem cannot be judged, or its verifier failed: either says nothing about the answer.
      if (!isSeamError(error)) throw error;
      // The model that judges is away, or may be asked no more: that says nothing about the problem either.
      if (error.code === 'ENDPOINT_UNAVAILABLE') throw error;
      if (error.code === 'BUDGET_SPENT') return halt(error.code, error.message);
      if (error.retryable && !isLastAttempt) return retry(error.code, error.message);
      return done([this.failed(event, { code: error.code, reason: error.message }, attempt)]);
    }
  }

  private recorded(
    task: Task,
    answer: ExecutorResponse,
    judgement: Judgement & Pick<EventOf<'OutcomeRecorded'>, 'measurement' | 'editRefusal'>,
    latencyMs: number,
  ): EventOf<'OutcomeRecorded'> {
    const { event: experience, problem } = task;
    const { verifier } = problem;
    const { measurement, editRefusal } = judgement;
    // What could not act earns nothing, also where a verifier takes no answer for a right one.
    const reward = editRefusal == null ? (measurement?.earned ?? judgement.reward) : 0;
    const isLeak = reward > 0 && this.isLeak(task);
    if (isLeak) this.dependencies.onLeak?.();
    const { faithful, misquote, isValid } = this.worth(task);
    const unpaid = isLeak ? 'the entry gives the answer away' : misquote;
    return {
      type: 'OutcomeRecorded',
      meta: this.resultMeta(experience),
      ...this.answerFields(experience, answer, latencyMs),
      extractedAnswer: judgement.extractedAnswer,
      success: judgement.success,
      reward: isValid && unpaid === undefined ? reward : 0,
      faithful,
      verifierVersion: verifier?.version ?? '',
      verifierDetail:
        unpaid !== undefined && reward > 0 ? `${judgement.detail}; no reward: ${unpaid}` : judgement.detail,
      feedbackId: null,
      measurement,
      judge: judgement.judgedBy ?? null,
      editRefusal,
    };
  }

  /** For a problem that no verifier judges: what is known now, and until when feedback may give the verdict. */
  private answered(task: Task, answer: ExecutorResponse, latencyMs: number): EventOf<'AnswerRecorded'> {
    const { clock, feedbackWithinMs } = this.dependencies;
    const { event: experience } = task;
    const { faithful, misquote, isValid } = this.worth(task);
    const nowMs = clock.now();
    return {
      type: 'AnswerRecorded',
      meta: deriveMeta(experience.meta, { role: 'answer', source: SOURCE, occurredAt: nowMs, sourceClass: 'model' }),
      ...this.answerFields(experience, answer, latencyMs),
      extractedAnswer: finalAnswer(answer.judged ?? answer.text),
      faithful,
      unpaid: isValid ? (misquote ?? null) : 'the entry is not valid under its schema',
      feedbackUntil: nowMs + (experience.feedbackWithinMs ?? feedbackWithinMs),
    };
  }

  /** What is copied of the experience, and what the executor did. */
  private answerFields(experience: Experience, answer: ExecutorResponse, latencyMs: number): AnswerFields {
    const generated = experience.type === 'ExperienceGenerated' ? experience : undefined;
    return {
      ...identityOf(experience),
      entry: entryOf(experience),
      promptTokenIds: generated?.promptTokenIds ?? [],
      tokenIds: generated?.tokenIds ?? [],
      forced: generated?.forced ?? [],
      baseModelDigest: generated?.baseModelDigest ?? null,
      executor: this.dependencies.environment.identity,
      response: answer.text,
      promptTokens: answer.promptTokens,
      responseTokens: answer.responseTokens,
      toolCalls: answer.toolCalls ?? null,
      latencyMs,
    };
  }

  /** Of one attempt there is one result: a failure has the same id as an outcome would have. */
  private resultMeta({ meta, attemptId }: Experience): Experience['meta'] {
    const role = resultRole({ attemptId });
    return deriveMeta(meta, { role, source: SOURCE, occurredAt: this.dependencies.clock.now(), sourceClass: 'model' });
  }

  private failed(
    experience: Experience,
    { code, reason }: { readonly code: ErrorCode; readonly reason: string },
    attempts: number,
  ): EventOf<'ExecutionFailed'> {
    return {
      type: 'ExecutionFailed',
      meta: this.resultMeta(experience),
      ...identityOf(experience),
      code,
      reason,
      attempts,
    };
  }

  /** An entry that gives the answer away is a second solver: its success says nothing about the next problem. */
  private isLeak({ event: experience, problem }: Task): boolean {
    if (experience.type === 'ExperienceWithheld' || this.dependencies.paysLeaks === true) return false;
    return this.dependencies.environment.givesAnswerAway(experience.entry, problem);
  }

  /** Of an experience that was written; of one that was withheld, nothing. */
  private worth({ event: experience, problem }: Task): EntryWorth {
    // Nor of one that could not be written: the passage alone has earned what it did.
    if (experience.type === 'ExperienceWithheld' || isUnwritten(experience))
      return { faithful: null, misquote: undefined, isValid: true };
    const worth = entryWorth(experience, problem, this.dependencies.schemaFor);
    if (worth.faithful !== null) this.dependencies.onQuoting?.(worth.faithful);
    return worth;
  }
}

/** What an experience follows from was in the log before it, and copies keep that order: waiting brings it no more. */
function withoutContent({ problem }: Experience): ExecutorFailure {
  const { code, message } = contentMissing(problem);
  return { status: 'failed', code, reason: message, retryable: false };
}

/**
 * An edit of an exploration that was not written: there is no attempt to reward, and none to compare others with. Where an answer is wanted,
 * the passage is trained on alone. A code that no generator writes becomes INTERNAL.
 */
function unwrittenIn(experience: Experience): ExecutorFailure | undefined {
  if (experience.type === 'ExperienceWithheld' || experience.arm !== 'explore') return undefined;
  const { unaugmented } = experience;
  if (unaugmented == null || !isUnwritten(experience)) return undefined;
  const { code, reason, tries } = unaugmented;
  const tried = `${tries} ${tries === 1 ? 'try' : 'tries'}`;
  return {
    status: 'failed',
    code: UNWRITTEN_CODES.find((each) => each === code) ?? 'INTERNAL',
    reason: `No self-edit was written in ${tried}: ${reason}`,
    retryable: false,
  };
}

/** Of several answers to one edit: it could not act in any of them. */
function refusalOf(responses: readonly ExecutorResponse[]): EditRefusal | null {
  return responses.every(({ refused }) => refused !== undefined) ? (responses[0]?.refused ?? null) : null;
}

function isOutage(answer: ExecutorAnswer): answer is ExecutorFailure {
  return answer.status === 'failed' && answer.code === 'ENDPOINT_UNAVAILABLE';
}

/** One that is this service's to try: a gateway answers its clients itself. */
function isExperience(event: SeamEvent): event is Experience {
  const isWritten = event.type === 'ExperienceGenerated' || event.type === 'ExperienceWithheld';
  return isWritten && !isAnsweredElsewhere(event);
}

/** Null asks the executor without an experience. */
function entryOf(experience: Experience): string | null {
  return experience.type === 'ExperienceGenerated' ? experience.entry : null;
}

type Identity = Pick<
  EventOf<'OutcomeRecorded'>,
  'problem' | 'experienceId' | 'groupId' | 'candidateIndex' | 'groupSize' | 'arm' | 'adapterDigest' | 'attemptId'
>;

/** What an answer says whether or not it was judged. */
type AnswerFields = Omit<
  EventOf<'AnswerRecorded'>,
  'type' | 'meta' | 'extractedAnswer' | 'faithful' | 'unpaid' | 'feedbackUntil'
>;

function identityOf(experience: Experience): Identity {
  const { problem, experienceId, groupId, attemptId } = experience;
  if (experience.type === 'ExperienceWithheld') {
    const arm = 'control';
    return { problem, experienceId, groupId, candidateIndex: 0, groupSize: 1, arm, adapterDigest: null, attemptId };
  }
  const { candidateIndex, groupSize, arm, adapterDigest } = experience;
  return { problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest, attemptId };
}
