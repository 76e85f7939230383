/** Problems to experiences: decide each problem's fate, write the groups, say what happened. */
import {
  type Assignment,
  copyOf,
  deriveMeta,
  type EventOf,
  experienceIdOf,
  type GuardMark,
  groupIdOf,
  isAnsweredElsewhere,
  type ProblemCopy,
  type ProblemPublished,
  type ReleaseDraw,
  type SeamEvent,
} from '@seamstream/events';
import type { EntrySchemas, Prompts } from '@seamstream/experience';
import { type Clock, isSeamError } from '@seamstream/kernel';
import {
  type ExperienceCandidate,
  type Exploration,
  type ExplorationRequest,
  type ExplorationSettings,
  exploreEdits,
  type GeneratorModel,
  generateExperiences,
  type Served,
  type WritingLimits,
} from '@seamstream/rollout';
import { type DeliveredBatch, deadLetter, done, type HandlerResult, halt } from '@seamstream/service-kit';
import { type ArmAssignment, assignArm, assignmentOf, guardMarkOf } from './arm.decide.js';
import type { GeneratorConfig } from './config.js';
import { releaseDrawOf } from './release-draw.decide.js';
import type { Serving, ServingAdapter } from './serving-adapter.js';

const SOURCE = 'seam/generator';

export interface WriteExperiencesDependencies {
  readonly model: GeneratorModel;
  readonly prompts: Prompts;
  readonly schemaFor: EntrySchemas;
  readonly adapters: Pick<ServingAdapter, 'catchUp' | 'candidateFailed'>;
  readonly clock: Clock;
  /** Of entries that are self-edits; null where entries are something else. */
  readonly editLimits: WritingLimits | null;
  /** Called for each self-edit that was not written in its tries. */
  readonly onUnaugmented: (code: string) => void;
}

/** Groups that are kept of batches that were ended before they were done, by what was asked. */
const KEPT_GROUPS = 1024;

export class WriteExperiencesHandler {
  private readonly kept = new Map<string, Exploration>();
  /** Likewise the self-edits of groups that lacked some. */
  private readonly begun = new Map<string, readonly ExperienceCandidate[]>();

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
    // 1. One adapter for the whole batch, the last promoted one; and one that is tried.
    const serving = await adapters.catchUp();
    const fates = new Map<SeamEvent, { readonly arm: ArmAssignment; readonly assignment: Assignment }>();
    for (const { event } of batch.records) {
      if (event.type !== 'ProblemPublished') continue;
      const assignment = assignmentOf(event, this.config.controlShare, serving.guard);
      fates.set(event, { arm: assignArm(event, nowMs, assignment), assignment });
    }
    // 2. All groups of one kind are written together.
    const explorations = new Map<SeamEvent, Written>();
    for (const mode of ['explore', 'deploy'] as const) {
      const events = [...fates]
        .filter(([, { arm }]) => arm === mode)
        .map(([event]) => event as EventOf<'ProblemPublished'>);
      if (events.length === 0) continue;
      const written =
        mode === 'deploy'
          ? await this.deploy(events, serving, batch)
          : (await this.explore(events, serving.adapter, batch)).map((exploration) => ({ exploration, draw: null }));
      events.forEach((event, index) => explorations.set(event, written[index]!));
    }
    // 3. Say it.
    const latencyMs = clock.now() - nowMs;
    return batch.records.map(({ event, position }) => {
      if (event.type !== 'ProblemPublished') return done();
      const problem = copyOf(event.problem, position, this.config.inlineContentBytes);
      const { arm, assignment } = fates.get(event)!;
      if (arm === 'expired') return done([this.expired(event, problem, nowMs)]);
      const guard = guardMarkOf(event, drawIn(serving, event), serving.guard);
      if (arm === 'control') return done([withheld({ ...event, problem, assignment, guard }, nowMs)]);
      const { exploration, draw } = explorations.get(event)!;
      if (exploration.status === 'failed') {
        // Who answers it does so without an experience, and says so.
        return isAnsweredElsewhere(event) ? done() : deadLetter(exploration.code, exploration.reason);
      }
      for (const { unaugmented } of exploration.candidates)
        if (unaugmented !== undefined) this.dependencies.onUnaugmented(unaugmented.code);
      return done(generated({ ...event, problem, assignment, draw, guard }, arm, exploration, { nowMs, latencyMs }));
    });
  }

  /** One greedy entry per problem, by the served adapter, or by the one that a release draws; for a shadow by both, the served one first. */
  private async deploy(
    events: readonly ProblemPublished[],
    serving: Serving,
    batch: DeliveredBatch,
  ): Promise<readonly Written[]> {
    const sampling = { temperature: 0, topK: 0, topP: 1, maxTokens: this.config.sampling.maxTokens };
    const { adapter, trial } = serving;
    const draws = events.map((event) => drawIn(serving, event));
    const isShadow = trial?.planned.kind === 'shadow';
    const write = async (by: Served | null, at: readonly number[], firstCandidate: number) => {
      const own = at.map((index) => events[index]!);
      const settings = { firstCandidate, groupSize: 1, sampling, signal: batch.signal, report: batch.report };
      const written = own.length === 0 ? [] : await this.candidates(own, by, settings);
      return new Map(at.map((index, place) => [index, written[place]!]));
    };
    // A candidate that cannot write must not stop its parent, which then writes for all.
    const tryCandidate = async (): ReturnType<typeof write> => {
      if (trial === null) return new Map();
      const at = draws.flatMap((draw, index) => (draw?.share === null || draw?.isCandidate === true ? [index] : []));
      try {
        return await write(trial.candidate, at, isShadow ? 1 : 0);
      } catch (error) {
        if (batch.signal.aborted || isSeamError(error, 'ABORTED')) throw error;
        this.dependencies.adapters.candidateFailed(trial.candidate.digest, error);
        return new Map();
      }
    };
    const tried = await tryCandidate();
    const isDone = (index: number): boolean => !isShadow && tried.get(index)?.status === 'explored';
    const own = await write(
      adapter,
      [...events.keys()].filter((index) => !isDone(index)),
      0,
    );
    return draws.map((draw, index): Written => {
      // What the candidate should have written and did not is no result of it. Many of these unbalance the arms, and end the release.
      const isLost = draw?.isCandidate === true && !tried.has(index);
      const exploration = isDone(index) ? tried.get(index)! : joined(own.get(index)!, tried.get(index));
      return { exploration, draw: isLost ? null : draw };
    });
  }

  /** A group of one adapter's candidates and the base model's scouts behind them. */
  private async explore(
    events: readonly ProblemPublished[],
    adapter: Served | null,
    { signal, report }: Pick<DeliveredBatch, 'signal' | 'report'>,
  ): Promise<readonly Exploration[]> {
    const { groupSize, scouts, sampling } = this.config;
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
      return others.status === 'failed' && exploration.status !== 'failed' ? others : joined(exploration, others);
    });
  }

  /** What a batch that was ended had finished is not written again. */
  private async candidates(
    events: readonly ProblemPublished[],
    adapter: Served | null,
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
    const written = await this.written(
      missing.map((at) => {
        const {
          meta,
          problem: { problemId, domain, prompt },
        } = events[at]!;
        const written = this.begun.get(keys[at]!) ?? [];
        return { eventId: meta.messageId, problem: { problemId, domain, prompt }, written };
      }),
      {
        model,
        adapter,
        prompts,
        schemaFor,
        ...settings,
        onProgress: ({ tokens, explored, begun = [] }) => {
          for (const { request, exploration } of explored) keep(this.kept, keys[missing[request]!]!, exploration);
          for (const { request, candidates } of begun) keep(this.begun, keys[missing[request]!]!, candidates);
          records += explored.length;
          report({ records, tokens, tokensPerRecord: groupSize * sampling.maxTokens });
        },
      },
    );
    missing.forEach((at, index) => {
      explorations[at] = written[index]!;
    });
    for (const key of keys) for (const memory of [this.kept, this.begun]) memory.delete(key);
    return explorations as readonly Exploration[];
  }

  private written(
    requests: readonly ExplorationRequest[],
    settings: ExplorationSettings,
  ): Promise<readonly Exploration[]> {
    const { editLimits } = this.dependencies;
    return editLimits === null ? generateExperiences(requests, settings) : exploreEdits(requests, settings, editLimits);
  }

  private expired({ meta }: ProblemPublished, problem: ProblemCopy, nowMs: number): EventOf<'ProblemExpired'> {
    return {
      type: 'ProblemExpired',
      meta: deriveMeta(meta, { role: 'expired', source: SOURCE, occurredAt: nowMs }),
      problem,
      expiredAt: nowMs,
    };
  }
}

/** The oldest are given up. */
function keep<T>(memory: Map<string, T>, key: string, what: T): void {
  memory.set(key, what);
  if (memory.size <= KEPT_GROUPS) return;
  const [oldest] = memory.keys();
  memory.delete(oldest!);
}

interface Written {
  readonly exploration: Exploration;
  /** Of the release that is tried; null where the problem has no part in one. */
  readonly draw: ReleaseDraw | null;
}

/** The candidates of both; those of the first alone where there are no others. */
function joined(exploration: Exploration, others: Exploration | undefined): Exploration {
  return exploration.status === 'failed' || others?.status !== 'explored'
    ? exploration
    : { ...exploration, candidates: [...exploration.candidates, ...others.candidates] };
}

/** The draw of a problem in the release that is tried; null where it has no part in one. */
function drawIn({ trial }: Serving, event: ProblemPublished): ReleaseDraw | null {
  return trial === null ? null : (releaseDrawOf(event, trial) ?? null);
}

/** A published problem as its experience says it on. */
type Assigned = Pick<ProblemPublished, 'meta' | 'feedbackWithinMs' | 'answeredBy'> & {
  readonly problem: ProblemCopy;
  readonly assignment: Assignment;
  readonly guard: GuardMark | null;
};

function withheld(
  { meta, problem, feedbackWithinMs, assignment, answeredBy, guard }: Assigned,
  nowMs: number,
): EventOf<'ExperienceWithheld'> {
  return {
    type: 'ExperienceWithheld',
    attemptId: null,
    feedbackWithinMs,
    meta: deriveMeta(meta, { role: 'experience', source: SOURCE, occurredAt: nowMs }),
    problem,
    experienceId: experienceIdOf(meta.messageId, 0),
    groupId: groupIdOf(meta.messageId),
    share: assignment.controlShare,
    ...{ assignment, answeredBy, guard },
  };
}

function generated(
  {
    meta,
    problem,
    feedbackWithinMs,
    assignment,
    answeredBy,
    guard,
    draw,
  }: Assigned & { readonly draw: ReleaseDraw | null },
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
    ...{ assignment, answeredBy, guard },
    // Of a shadow the second entry is the candidate's.
    release: draw?.share === null ? { ...draw, isCandidate: candidate.candidateIndex === 1 } : draw,
  }));
}
