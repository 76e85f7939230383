/** Problems to experiences: decide each problem's fate, write the groups, say what happened. */
import {
  copyOf,
  deriveMeta,
  type EventOf,
  experienceIdOf,
  groupIdOf,
  type ProblemCopy,
  type ProblemPublished,
  type SeamEvent,
} from '@seamstream/events';
import type { EntrySchemas, Prompts } from '@seamstream/experience';
import { type Clock, isSeamError } from '@seamstream/kernel';
import type { Adapter } from '@seamstream/language-model';
import {
  type Exploration,
  type ExplorationSettings,
  type GeneratorModel,
  generateExperiences,
} from '@seamstream/rollout';
import { type DeliveredBatch, deadLetter, done, type HandlerResult, halt } from '@seamstream/service-kit';
import { type ArmAssignment, assignArm, assignmentOf } from './arm.decide.js';
import type { GeneratorConfig } from './config.js';
import type { ServingAdapter } from './serving-adapter.js';

const SOURCE = 'seam/generator';

export interface WriteExperiencesDependencies {
  readonly model: GeneratorModel;
  readonly prompts: Prompts;
  readonly schemaFor: EntrySchemas;
  readonly adapters: Pick<ServingAdapter, 'catchUp'>;
  readonly clock: Clock;
}

/** Groups that are kept of batches that were ended before they were done, by what was asked. */
const KEPT_GROUPS = 1024;

export class WriteExperiencesHandler {
  private readonly kept = new Map<string, Exploration>();

  constructor(
    private readonly dependencies: WriteExperiencesDependencies,
    private readonly config: GeneratorConfig['generator'],
  ) {}

  /** One outcome per record, in their order. */
  async handle(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    try {
      return await this.answer(batch);
    } catch (error) {
      // A remote model that answers no caller before a person acts: none of the problems is at fault.
      if (!isSeamError(error) || error.details.halts !== true) throw error;
      const { code, message } = error;
      return batch.records.map(() => halt(code, message));
    }
  }

  private async answer(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    const { adapters, clock } = this.dependencies;
    const nowMs = clock.now();
    // 1. One adapter for the whole batch, the last promoted one.
    const adapter = await adapters.catchUp();
    const fates = new Map<SeamEvent, ArmAssignment>();
    for (const { event } of batch.records) {
      if (event.type === 'ProblemPublished') fates.set(event, assignArm(event, nowMs, this.config.controlShare));
    }
    // 2. All groups of one kind are written together.
    const explorations = new Map<SeamEvent, Exploration>();
    for (const mode of ['explore', 'deploy'] as const) {
      const events = [...fates]
        .filter(([, fate]) => fate === mode)
        .map(([event]) => event as EventOf<'ProblemPublished'>);
      if (events.length === 0) continue;
      const written = await this.write(events, mode, adapter, batch);
      events.forEach((event, index) => explorations.set(event, written[index]!));
    }
    // 3. Say it.
    const latencyMs = clock.now() - nowMs;
    return batch.records.map(({ event, position }) => {
      if (event.type !== 'ProblemPublished') return done();
      const problem = copyOf(event.problem, position, this.config.inlineContentBytes);
      const fate = fates.get(event)!;
      if (fate === 'expired') return done([this.expired(event, problem, nowMs)]);
      if (fate === 'control') return done([this.withheld(event, problem, nowMs)]);
      const exploration = explorations.get(event)!;
      if (exploration.status === 'failed') {
        // Who answers it does so without an experience, and says so.
        return isAnsweredElsewhere(event) ? done() : deadLetter(exploration.code, exploration.reason);
      }
      const assignment = assignmentOf(event, this.config.controlShare);
      return done(generated({ ...event, problem, assignment }, fate, exploration, { nowMs, latencyMs }));
    });
  }

  /** A group of one adapter's candidates and, when exploring, the base model's scouts behind them. */
  private async write(
    events: readonly ProblemPublished[],
    mode: 'explore' | 'deploy',
    adapter: Adapter | null,
    { signal, report }: Pick<DeliveredBatch, 'signal' | 'report'>,
  ): Promise<readonly Exploration[]> {
    const { groupSize, scouts, sampling } = this.config;
    if (mode === 'deploy') {
      const greedy = { temperature: 0, topK: 0, topP: 1, maxTokens: sampling.maxTokens };
      return this.candidates(events, adapter, { firstCandidate: 0, groupSize: 1, sampling: greedy, signal, report });
    }
    const numScouts = adapter === null ? 0 : Math.min(scouts, groupSize - 2);
    const numServed = groupSize - numScouts;
    const served = await this.candidates(events, adapter, {
      firstCandidate: 0,
      groupSize: numServed,
      sampling,
      signal,
      report,
    });
    if (numScouts === 0) return served;
    const scouted = await this.candidates(events, null, {
      firstCandidate: numServed,
      groupSize: numScouts,
      sampling,
      signal,
      report,
    });
    return served.map((exploration, index) => {
      const others = scouted[index]!;
      if (exploration.status === 'failed') return exploration;
      return others.status === 'failed'
        ? others
        : { ...exploration, candidates: [...exploration.candidates, ...others.candidates] };
    });
  }

  /** What a batch that was ended had finished is not written again. */
  private async candidates(
    events: readonly ProblemPublished[],
    adapter: Adapter | null,
    {
      report,
      ...settings
    }: Required<Pick<ExplorationSettings, 'firstCandidate' | 'groupSize' | 'sampling' | 'signal'>> &
      Pick<DeliveredBatch, 'report'>,
  ): Promise<readonly Exploration[]> {
    const { model, prompts, schemaFor } = this.dependencies;
    const { firstCandidate, groupSize, sampling } = settings;
    const keys = events.map(({ meta }) =>
      [meta.messageId, adapter?.digest ?? 'base', firstCandidate, groupSize, sampling.temperature].join(' '),
    );
    const explorations = keys.map((key) => this.kept.get(key));
    const missing = events.flatMap((_, at) => (explorations[at] === undefined ? [at] : []));
    let records = events.length - missing.length;
    const written = await generateExperiences(
      missing.map((at) => {
        const {
          meta,
          problem: { problemId, domain, prompt },
        } = events[at]!;
        return { eventId: meta.messageId, problem: { problemId, domain, prompt } };
      }),
      {
        model,
        adapter,
        prompts,
        schemaFor,
        ...settings,
        onProgress: ({ tokens, explored }) => {
          for (const { request, exploration } of explored) this.keep(keys[missing[request]!]!, exploration);
          records += explored.length;
          report({ records, tokens, tokensPerRecord: groupSize * sampling.maxTokens });
        },
      },
    );
    missing.forEach((at, index) => {
      explorations[at] = written[index]!;
    });
    for (const key of keys) this.kept.delete(key);
    return explorations as readonly Exploration[];
  }

  private keep(key: string, exploration: Exploration): void {
    this.kept.set(key, exploration);
    if (this.kept.size <= KEPT_GROUPS) return;
    const [oldest] = this.kept.keys();
    this.kept.delete(oldest!);
  }

  private expired({ meta }: ProblemPublished, problem: ProblemCopy, nowMs: number): EventOf<'ProblemExpired'> {
    return {
      type: 'ProblemExpired',
      meta: deriveMeta(meta, { role: 'expired', source: SOURCE, occurredAt: nowMs }),
      problem,
      expiredAt: nowMs,
    };
  }

  private withheld(event: ProblemPublished, problem: ProblemCopy, nowMs: number): EventOf<'ExperienceWithheld'> {
    const { meta, feedbackWithinMs, answeredBy } = event;
    const assignment = assignmentOf(event, this.config.controlShare);
    return {
      type: 'ExperienceWithheld',
      attemptId: null,
      feedbackWithinMs,
      meta: deriveMeta(meta, { role: 'experience', source: SOURCE, occurredAt: nowMs }),
      problem,
      experienceId: experienceIdOf(meta.messageId, 0),
      groupId: groupIdOf(meta.messageId),
      share: assignment.controlShare,
      ...{ assignment, answeredBy },
    };
  }
}

function generated(
  {
    meta,
    problem,
    feedbackWithinMs,
    assignment,
    answeredBy,
  }: Pick<ProblemPublished, 'meta' | 'feedbackWithinMs' | 'assignment' | 'answeredBy'> & {
    readonly problem: ProblemCopy;
  },
  arm: 'explore' | 'deploy',
  { groupId, candidates }: Extract<Exploration, { status: 'explored' }>,
  { nowMs, latencyMs }: { readonly nowMs: number; readonly latencyMs: number },
): readonly EventOf<'ExperienceGenerated'>[] {
  return candidates.map((candidate) => ({
    type: 'ExperienceGenerated',
    attemptId: null,
    feedbackWithinMs,
    meta: deriveMeta(meta, {
      role: 'experience',
      index: candidate.candidateIndex,
      source: SOURCE,
      occurredAt: nowMs,
      sourceClass: 'model',
    }),
    problem,
    groupId,
    groupSize: candidates.length,
    arm,
    ...candidate,
    latencyMs,
    ...{ assignment, answeredBy },
  }));
}

function isAnsweredElsewhere({ answeredBy }: ProblemPublished): boolean {
  return answeredBy !== null && answeredBy !== undefined;
}
