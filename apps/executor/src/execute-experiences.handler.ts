/**
 * Experiences to outcomes: the frozen executor answers, the verifier judges. A failure of the infrastructure is tried
 * again and then recorded as what it is; it is never a reward of 0, which would teach that the entry was bad.
 */
import { deriveMeta, type EventOf, type SeamEvent } from '@seamstream/events';
import {
  type EntrySchemas,
  earnsReward,
  givesAnswerAway,
  hasQuotes,
  type Misquote,
  misquoteIn,
  type Prompts,
  schemaDigest,
} from '@seamstream/experience';
import { type Clock, type ErrorCode, isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import {
  type AnsweringProgress,
  answerRepeatedly,
  type ExecutorAnswer,
  type ExecutorFailure,
  type ExecutorModel,
  type ExecutorResponse,
  executorIdentity,
  type Judgement,
  judgeAll,
  type RolloutSettings,
  solveProblems,
} from '@seamstream/rollout';
import {
  type DeliveredBatch,
  type DeliveredRecord,
  defer,
  done,
  type HandlerResult,
  halt,
  retry,
} from '@seamstream/service-kit';
import type { Verifiers } from '@seamstream/verifiers';

const SOURCE = 'seam/executor';

type Experience = EventOf<'ExperienceGenerated'> | EventOf<'ExperienceWithheld'>;

export interface ExecuteExperiencesDependencies {
  readonly executor: ExecutorModel;
  readonly prompts: Prompts;
  readonly schemaFor: EntrySchemas;
  readonly clock: Clock;
  readonly verifiers: Verifiers;
  /** Whether an entry that gives the answer away earns its reward nevertheless. */
  readonly paysLeaks?: boolean;
  /** Is told of each success that earned nothing because its entry gave the answer away. */
  readonly onLeak?: () => void;
  /** Is told of each entry that was to quote its problem, whether it is faithful. */
  readonly onQuoting?: (isFaithful: boolean) => void;
  /** Several answers per entry; absent: one, greedily. */
  readonly repeating?: RolloutSettings;
}

export class ExecuteExperiencesHandler {
  constructor(private readonly dependencies: ExecuteExperiencesDependencies) {}

  /** One outcome per record, in their order. */
  async handle(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    const { clock } = this.dependencies;
    const startedMs = clock.now();
    const experiences = batch.records.filter((record): record is DeliveredRecord<Experience> =>
      isExperience(record.event),
    );
    const answers = new Map<SeamEvent, readonly ExecutorAnswer[]>();
    const given = await this.answersTo(experiences, batch);
    experiences.forEach(({ event }, index) => answers.set(event, given[index]!));
    const latencyMs = clock.now() - startedMs;
    const first = answers.get(batch.records[0]!.event)?.find(isOutage);
    // Thrown, an outage is waited for as long as it lasts; the attempts of the record are left alone.
    if (first !== undefined) throw new SeamError(first.code, first.reason);
    return Promise.all(
      batch.records.map(async (record) => {
        const { event } = record;
        const own = answers.get(event);
        if (own === undefined || !isExperience(event)) return done();
        const failure = own.find((answer) => answer.status === 'failed');
        // None of the problems is at fault: what was answered before is committed, the others stay for better times.
        if (failure?.halts === true) return halt(failure.code, failure.reason);
        if (own.some(isOutage)) return defer();
        if (failure?.retryable && !record.isLastAttempt) return retry(failure.code, failure.reason);
        if (failure !== undefined) return done([this.failed(event, failure, record.attempt)]);
        const responses = own.filter((answer) => answer.status === 'answered');
        return this.conclude(event, responses, { ...record, latencyMs });
      }),
    );
  }

  /** The answers to each experience, in their order. */
  private async answersTo(
    experiences: readonly DeliveredRecord<Experience>[],
    { signal, report }: Pick<DeliveredBatch, 'signal' | 'report'>,
  ): Promise<readonly (readonly ExecutorAnswer[])[]> {
    const { executor, prompts, repeating } = this.dependencies;
    const requests = experiences.map(({ event }) => {
      const { problemId, domain, prompt } = event.problem;
      return { problem: { problemId, domain, prompt }, entry: entryOf(event), seed: event.experienceId };
    });
    const onProgress = ({ answered, tokens, tokensPerPrompt }: AnsweringProgress): void =>
      report({ records: answered, tokens, tokensPerRecord: tokensPerPrompt });
    try {
      if (requests.length === 0) return [];
      if (repeating !== undefined)
        return await answerRepeatedly(requests, executor, prompts, repeating, signal, onProgress);
      return (await solveProblems(requests, executor, prompts, signal, onProgress)).map((answer) => [answer]);
    } catch (error) {
      // The transport tries a failing batch again and halves it; only a record that stands alone is concluded here.
      const [alone] = experiences;
      // Nothing about an experience: the executor is not the one that it was.
      if (isSeamError(error, 'CHECKPOINT_INVALID')) throw error;
      const isRetryable = !isSeamError(error) || error.retryable;
      // Nor is it concluded where it was told to stop.
      const isConcluded = experiences.length === 1 && !signal.aborted;
      if (!isConcluded || alone === undefined || (isRetryable && !alone.isLastAttempt)) throw error;
      const code = isSeamError(error) ? error.code : 'INTERNAL';
      return [[{ status: 'failed', code, reason: messageOf(error), retryable: false }]];
    }
  }

  private async conclude(
    experience: Experience,
    responses: readonly ExecutorResponse[],
    delivery: { readonly attempt: number; readonly isLastAttempt: boolean; readonly latencyMs: number },
  ): Promise<HandlerResult> {
    try {
      const { answer, judgement } = await judgeAll(experience.problem, responses, this.dependencies.verifiers);
      return done([this.recorded(experience, answer, judgement, delivery.latencyMs)]);
    } catch (error) {
      // The problem cannot be judged, or its verifier failed: either says nothing about the answer.
      if (!isSeamError(error)) throw error;
      if (error.retryable && !delivery.isLastAttempt) return retry(error.code, error.message);
      return done([this.failed(experience, { code: error.code, reason: error.message }, delivery.attempt)]);
    }
  }

  private recorded(
    experience: Experience,
    answer: ExecutorResponse,
    judgement: Judgement,
    latencyMs: number,
  ): EventOf<'OutcomeRecorded'> {
    const { executor, prompts, clock } = this.dependencies;
    const generated = experience.type === 'ExperienceGenerated' ? experience : undefined;
    const isLeak = judgement.reward > 0 && this.isLeak(experience);
    if (isLeak) this.dependencies.onLeak?.();
    const quoting = this.quoting(experience);
    if (quoting !== null) this.dependencies.onQuoting?.(quoting.misquote === undefined);
    const unpaid = isLeak ? 'the entry gives the answer away' : quoting?.misquote?.fault;
    return {
      type: 'OutcomeRecorded',
      meta: deriveMeta(experience.meta, {
        role: 'outcome',
        source: SOURCE,
        occurredAt: clock.now(),
        sourceClass: 'model',
      }),
      ...identityOf(experience),
      entry: entryOf(experience),
      promptTokenIds: generated?.promptTokenIds ?? [],
      tokenIds: generated?.tokenIds ?? [],
      forced: generated?.forced ?? [],
      baseModelDigest: generated?.baseModelDigest ?? null,
      executor: executorIdentity(executor, prompts),
      response: answer.text,
      extractedAnswer: judgement.extractedAnswer,
      success: judgement.success,
      reward: this.isValid(experience) && unpaid === undefined ? judgement.reward : 0,
      faithful: quoting === null ? null : quoting.misquote === undefined,
      verifierVersion: experience.problem.verifier.version,
      verifierDetail:
        unpaid !== undefined && judgement.reward > 0 ? `${judgement.detail}; no reward: ${unpaid}` : judgement.detail,
      promptTokens: answer.promptTokens,
      responseTokens: answer.responseTokens,
      latencyMs,
    };
  }

  private failed(
    experience: Experience,
    { code, reason }: { readonly code: ErrorCode; readonly reason: string },
    attempts: number,
  ): EventOf<'ExecutionFailed'> {
    return {
      type: 'ExecutionFailed',
      // The same id as an outcome would have: of one experience there is one result.
      meta: deriveMeta(experience.meta, {
        role: 'outcome',
        source: SOURCE,
        occurredAt: this.dependencies.clock.now(),
        sourceClass: 'model',
      }),
      ...identityOf(experience),
      code,
      reason,
      attempts,
    };
  }

  /** An entry that tells the answer is a second solver: its success says nothing about the next problem. */
  private isLeak(experience: Experience): boolean {
    if (experience.type === 'ExperienceWithheld' || this.dependencies.paysLeaks === true) return false;
    return givesAnswerAway(experience.entry, experience.problem);
  }

  /**
   * What an entry's quotes are worth. One that says of its problem what does not stand there earns nothing, however right the answer:
   * at any smaller price the policy would buy successes with misquotes. Null where nothing is to be quoted.
   */
  private quoting(experience: Experience): { readonly misquote: Misquote | undefined } | null {
    if (experience.type === 'ExperienceWithheld') return null;
    const schema = this.dependencies.schemaFor(experience.problem.domain);
    if (!hasQuotes(schema) || schemaDigest(schema) !== experience.entrySchema) return null;
    return { misquote: misquoteIn(experience.entry, schema, experience.problem.prompt) };
  }

  /** Reward is verdict × validity. An entry under a schema that this service does not know is left to the buffer to judge. */
  private isValid(experience: Experience): boolean {
    if (experience.type === 'ExperienceWithheld') return true;
    const schema = this.dependencies.schemaFor(experience.problem.domain);
    return schemaDigest(schema) !== experience.entrySchema || earnsReward(experience.entry, schema);
  }
}

function isOutage(answer: ExecutorAnswer): answer is ExecutorFailure {
  return answer.status === 'failed' && answer.code === 'ENDPOINT_UNAVAILABLE';
}

function isExperience(event: SeamEvent): event is Experience {
  return event.type === 'ExperienceGenerated' || event.type === 'ExperienceWithheld';
}

/** Null asks the executor without an experience. */
function entryOf(experience: Experience): string | null {
  return experience.type === 'ExperienceGenerated' ? experience.entry : null;
}

function identityOf(
  experience: Experience,
): Pick<
  EventOf<'OutcomeRecorded'>,
  'problem' | 'experienceId' | 'groupId' | 'candidateIndex' | 'groupSize' | 'arm' | 'adapterDigest'
> {
  const { problem, experienceId, groupId } = experience;
  if (experience.type === 'ExperienceWithheld') {
    return { problem, experienceId, groupId, candidateIndex: 0, groupSize: 1, arm: 'control', adapterDigest: null };
  }
  const { candidateIndex, groupSize, arm, adapterDigest } = experience;
  return { problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest };
}
