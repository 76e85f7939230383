/**
 * Decides what a run learns from and how, from recorded facts alone; the result is a plan that the log can repeat. What the log holds
 * is read once, so that the cost of a plan does not grow with the number of plans before it.
 */
import { type EventLog, partitionName } from '@seamstream/event-log';
import { type BufferCommitted, type OffsetRange, TOPIC } from '@seamstream/events';
import { Evidence, type PlacedEvent, withPlace } from '@seamstream/evidence';
import { isAttemptResult } from '@seamstream/experience-groups';
import { isSeamError, SeamError } from '@seamstream/kernel';
import {
  CURRICULUM,
  type CurriculumConfig,
  type CurriculumState,
  decideAlgorithm,
  evolveCurriculum,
  initialCurriculum,
  learningSettings,
  mergeSettings,
  type ResultEvent,
} from '@seamstream/learning';
import { onlineLevel } from '@seamstream/statistics';
import { CommittedVersions } from './committed-versions.js';
import { coveringRanges, findExperiences, rangesOf, readLogInput } from './learning-input.js';
import type { LearningMethod, Recipe } from './learning-method.js';
import type { OutcomeWindow } from './outcome-window.js';
import { planPublished, publishedPreferences, unendedRun, unreadProblems } from './plan-published.js';
import { RecentEvents } from './recorded-events.js';
import { findFeedback } from './recorded-feedback.js';
import { planRun, type RunFeedback, type RunPlan, type RunPromotion, type RunWindow } from './run-plan.js';
import type { PlanningSettings, PromotionSettings, RunLines } from './run-settings.js';
import { type Comparisons, servedAdaptersIn, type TrainingHistory } from './training-history.js';
import type { TrainingRequest } from './training-request.js';
import { excludedFrom, lastExperiences, refusedIn, runsOfWindows, windowsBefore } from './windows-in-use.js';

/** Changes when the same plan would lead to other weights. */
const CODE_VERSION = '0.1.0';

export interface PlanRunDependencies {
  readonly log: EventLog;
  readonly baseModelDigest: string;
  /** What the runs are planned for. */
  readonly method: LearningMethod;
  /** For what is said of results that do not count. */
  readonly lines: RunLines;
  /** The validation problems, by name and by SHA-256 of all of them. */
  readonly problemSet: { readonly name: string; readonly digest: string };
  /** `required`: a result is learned from only if the log bears it out. */
  readonly evidence: 'required' | 'none';
}

/** What is known of a window that has just ended: all that its plan follows from but what the buffer holds by then. */
export interface EndedWindow {
  readonly window: RunWindow;
  readonly results: readonly ResultEvent[];
  readonly curriculum: CurriculumState;
  readonly choice: { readonly algorithm: string; readonly reason: string };
}

export class PlanRunHandler {
  private readonly curriculum: CurriculumConfig;
  private readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  private readonly recent: RecentEvents;
  private readonly versions: CommittedVersions;
  /** Rounds that any of the algorithms may look back at. */
  private readonly mostReplayed: number;
  private evidence: Evidence | undefined;

  /** @throws INVALID_CONFIGURATION as {@link learningSettings} */
  constructor(
    private readonly dependencies: PlanRunDependencies,
    private readonly config: PlanningSettings,
  ) {
    this.recent = new RecentEvents(dependencies.log);
    this.versions = new CommittedVersions(dependencies.log);
    const { curriculum, algorithms: settings } = learningSettings(config, dependencies.method.recipes);
    this.curriculum = curriculum;
    this.settings = settings;
    const replayed = [...dependencies.method.recipes].map(([name, algorithm]) =>
      algorithm.replayedRounds(algorithm.resolveConfiguration(this.settings[name])),
    );
    this.mostReplayed = Math.max(...replayed.flatMap(({ least, most }) => [least, most]));
  }

  /**
   * What follows from a window alone, and from the run before it, which has ended.
   * @param outcomes where the window's records stand, among others: of groups that are not complete, or of the window before
   */
  async endWindow(
    outcomes: readonly OffsetRange[],
    { completed, repeated }: Pick<OutcomeWindow, 'completed' | 'repeated'>,
    history: TrainingHistory,
    signal?: AbortSignal,
  ): Promise<EndedWindow> {
    const previous = history.lastWindow?.configuration;
    const { results: all, refused } = await this.believed(outcomes, previous?.window?.experiences ?? [], signal);
    const results = all.filter(({ groupId }) => completed.has(groupId));
    const experiences = await this.experiencesOf(results, lastExperiences(history), signal);
    const window: RunWindow = {
      index: (previous?.window?.index ?? 0) + 1,
      outcomes: copies(outcomes),
      experiences: copies(experiences),
      ...(repeated.size === 0 ? {} : { repeated: Object.fromEntries(repeated) }),
      ...(refused.length === 0 ? {} : { refused }),
    };
    const curriculum = evolveCurriculum(previous?.curriculum ?? initialCurriculum, results, this.curriculum);
    const choice =
      this.config.algorithm === CURRICULUM
        ? decideAlgorithm(curriculum, this.curriculum, runsOfWindows(history))
        : { algorithm: this.config.algorithm, reason: 'the configured algorithm' };
    return { window, results, curriculum, choice };
  }

  /** The run of a window; undefined as long as the buffer, where the algorithm reads it, has no version that covers the window. */
  async ofWindow(ended: EndedWindow, history: TrainingHistory, signal?: AbortSignal): Promise<RunPlan | undefined> {
    const { window, choice } = ended;
    const isOfBuffer = this.algorithm(choice.algorithm).reads === 'buffer';
    const versions = isOfBuffer ? await this.versions.covering(window.outcomes) : [];
    if (isOfBuffer && versions.length === 0) return undefined;
    const plan = await this.plan({ ...ended, settings: {}, current: window, versions, history, signal });
    const replayable = [...windowsBefore(window, this.mostReplayed, history), window];
    this.recent.forgetBefore(coveringRanges(rangesOf(replayable)));
    return plan;
  }

  /** A run over the newest windows, asked for by a person; everything that is in the log when there was no window yet. */
  async onDemand(request: TrainingRequest, history: TrainingHistory): Promise<RunPlan> {
    const algorithm = this.algorithm(request.algorithm);
    if (algorithm.reads === 'problems' || algorithm.reads === 'preferences')
      return this.ofPublished(request, algorithm, history);
    const last = history.lastWindow?.configuration;
    const begin = new Map((last?.window?.outcomes ?? []).map(({ partition, from }) => [partition, from]));
    const outcomes = (await this.dependencies.log.watermarks(TOPIC.outcomes)).map(({ partition, low, high }) => ({
      topic: TOPIC.outcomes,
      partition,
      from: begin.get(partition) ?? low,
      to: high,
    }));
    const { results, refused } = await this.believed(outcomes, []);
    const current: RunWindow = {
      index: last?.window?.index ?? 1,
      outcomes,
      experiences: copies(await this.experiencesOf(results, new Map())),
      ...(refused.length === 0 ? {} : { refused }),
    };
    const versions = algorithm.reads === 'buffer' ? await this.versions.newest() : [];
    if (algorithm.reads === 'buffer' && versions.length === 0) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot plan a run that reads the buffer: expected a version of the whole, got none (${outcomes.reduce((sum, { from, to }) => sum + to - from, 0)} results in the log). Let the buffer service run first.`,
      );
    }
    return this.plan({
      choice: { algorithm: request.algorithm, reason: 'asked for' },
      settings: request.settings ?? {},
      request,
      window: null,
      current,
      results,
      versions,
      curriculum: last?.curriculum ?? initialCurriculum,
      history,
    });
  }

  private async ofPublished(request: TrainingRequest, algorithm: Recipe, history: TrainingHistory): Promise<RunPlan> {
    const { log, method, problemSet } = this.dependencies;
    const { responseMaxTokens, entryMaxTokens } = this.config;
    const settings = algorithm.resolveConfiguration(
      mergeSettings(this.settings[request.algorithm] ?? {}, request.settings ?? {}),
    );
    const { baseModelDigest } = this.dependencies;
    const parentAdapter = servedAdaptersIn(history, method.slot).at(-1) ?? null;
    const evaluation = { responseMaxTokens, entryMaxTokens, problemSet: { ...problemSet } };
    const terms = { seed: this.config.seed, codeVersion: CODE_VERSION };
    const killed =
      request.iteration === undefined
        ? unendedRun(history, {
            ...{ method: method.name, slot: method.slot, algorithm: request.algorithm, settings, baseModelDigest },
            ...{ evaluation, ...terms, parentAdapter },
          })
        : undefined;
    if (killed !== undefined) return killed;
    method.assertPlannable?.({ algorithm: request.algorithm, parentAdapter });
    const found =
      algorithm.reads === 'problems'
        ? await unreadProblems(log, method, history)
        : await publishedPreferences(log, settings);
    return planPublished(found, {
      ...{ request, method, history, baseModelDigest },
      ...terms,
      algorithm: settings,
      promotion: promotionOf(this.config.promotion, history.comparisons, problemSet.name),
      evaluation,
    });
  }

  private async plan(facts: {
    readonly choice: EndedWindow['choice'];
    readonly request?: Pick<TrainingRequest, 'iteration' | 'retention'>;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly window: RunWindow | null;
    readonly current: RunWindow;
    readonly results: readonly ResultEvent[];
    /** Of the buffer, one of each shard; none where it is not read. */
    readonly versions: readonly BufferCommitted[];
    readonly curriculum: CurriculumState;
    readonly history: TrainingHistory;
    readonly signal?: AbortSignal | undefined;
  }): Promise<RunPlan> {
    const { choice, window, current, results, versions, curriculum, history, signal } = facts;
    const { iteration, retention } = facts.request ?? {};
    const algorithm = this.algorithm(choice.algorithm);
    const settings = algorithm.resolveConfiguration(
      mergeSettings(this.settings[choice.algorithm] ?? {}, facts.settings),
    );
    const { problemSet } = this.dependencies;
    const { responseMaxTokens, entryMaxTokens } = this.config;
    const servedAdapters = servedAdaptersIn(history, this.dependencies.method.slot);
    const { rounds, extended } = await this.replayedRounds(algorithm, settings, current, history, signal);
    const earlier = windowsBefore(current, rounds, history);
    const feedback =
      algorithm.hearsFeedback?.(settings) === true ? await this.feedbackOn([...earlier, current], signal) : undefined;
    const domains = new Set([
      ...(history.lastWindow?.configuration.domains ?? []),
      ...results.map(({ problem }) => problem.domain),
    ]);
    return planRun(
      {
        method: this.dependencies.method.name,
        slot: this.dependencies.method.slot,
        algorithm: choice.algorithm,
        configuration: {
          algorithm: settings,
          reason: extended ? `${choice.reason}; ${rounds} rounds replayed, for fewer held too little` : choice.reason,
          ...(iteration === undefined ? {} : { iteration: { ...iteration } }),
          ...(retention === undefined ? {} : { retention: { ...retention, problems: [...retention.problems] } }),
          window,
          ...excludedFrom([...earlier, current], current.index - rounds),
          ...refusedIn([...earlier, current]),
          ...(feedback === undefined ? {} : { feedback }),
          servedAdapters: [...servedAdapters],
          curriculum: { ...curriculum, rates: { ...curriculum.rates } },
          domains: [...domains].sort(),
          promotion: promotionOf(this.config.promotion, history.comparisons, problemSet.name),
          evaluation: { responseMaxTokens, entryMaxTokens, problemSet: { ...problemSet } },
        },
        inputs: coveringRanges(
          algorithm.reads === 'buffer' ? versions.flatMap(({ inputs }) => inputs) : rangesOf([...earlier, current]),
        ),
        manifests: versions.map(({ manifestKey, manifestDigest }) => ({
          key: manifestKey,
          digest: manifestDigest,
        })),
        baseModelDigest: this.dependencies.baseModelDigest,
        parentAdapter: servedAdapters.at(-1) ?? null,
        seed: this.config.seed,
        codeVersion: CODE_VERSION,
      },
      results.map(({ meta }) => meta.messageId),
    );
  }

  /** As many as the algorithm wants in any case, and more while they do not hold enough for it and there are older ones. */
  private async replayedRounds(
    algorithm: Recipe,
    settings: Readonly<Record<string, unknown>>,
    current: RunWindow,
    history: TrainingHistory,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly rounds: number; readonly extended: boolean }> {
    const { least, most } = algorithm.replayedRounds(settings);
    const facts = {
      baseModelDigest: this.dependencies.baseModelDigest,
      servedAdapters: servedAdaptersIn(history, this.dependencies.method.slot),
    };
    let rounds = Math.max(1, least);
    while (rounds < most && windowsBefore(current, Number.POSITIVE_INFINITY, history).length >= rounds) {
      const windows = [...windowsBefore(current, rounds, history), current];
      const excluded = new Set(excludedFrom(windows, current.index - rounds).excluded);
      const { refused = [] } = refusedIn(windows);
      const inputs = coveringRanges(rangesOf(windows));
      const input = await readLogInput(this.recent, inputs, { excluded, refused }, signal);
      try {
        if (algorithm.hasEnoughSignal(input, settings, facts)) break;
      } catch (error) {
        if (isSeamError(error, 'DATA_REFUSED')) break; // The run will say so, and record it.
        throw error;
      }
      rounds++;
    }
    return { rounds, extended: rounds > Math.max(1, least) };
  }

  /** What people have said by now of the answers in these windows. */
  private async feedbackOn(windows: readonly RunWindow[], signal: AbortSignal | undefined): Promise<RunFeedback> {
    const { refused = [] } = refusedIn(windows);
    const inputs = coveringRanges(rangesOf(windows));
    const { results } = await readLogInput(this.recent, inputs, { excluded: new Set(), refused }, signal);
    const answered = results.filter(({ arm }) => arm === 'explore');
    return findFeedback(this.dependencies.log, new Set(answered.map(({ problem }) => problem.problemId)), signal);
  }

  /** The results in the ranges that the log bears out, and the places of the others, which are reported. */
  private async believed(
    outcomes: readonly OffsetRange[],
    before: readonly OffsetRange[],
    signal?: AbortSignal,
  ): Promise<{ readonly results: readonly ResultEvent[]; readonly refused: OffsetRange[] }> {
    const { log, evidence } = this.dependencies;
    const placed: PlacedEvent[] = [];
    for (const range of outcomes)
      for (const each of await this.recent.placed(range, signal)) if (isAttemptResult(each.event)) placed.push(each);
    if (evidence === 'none') return { results: placed.map(({ event }) => event).filter(isAttemptResult), refused: [] };
    // Windows follow one another: what is read for one is where the next one's evidence begins.
    this.evidence ??= new Evidence(
      log,
      new Map(before.map(({ topic, partition, from }) => [partitionName(topic, partition), from])),
    );
    const doubts = await this.evidence.doubts(placed);
    signal?.throwIfAborted();
    let refused: readonly OffsetRange[] = [];
    for (const [index, doubt] of [...doubts].sort(([a], [b]) => a - b)) {
      const { event, position } = placed[index]!;
      const { topic, partition, offset } = position;
      this.dependencies.lines.warn(
        doubt.reason,
        { topic, partition, offset, claimedSource: event.meta.source, ...doubt },
        'result NOT BELIEVED; nothing is learned from it',
      );
      refused = withPlace(refused, position);
    }
    return {
      results: placed.flatMap(({ event }, index) => (isAttemptResult(event) && !doubts.has(index) ? [event] : [])),
      refused: [...refused],
    };
  }

  private async experiencesOf(
    results: readonly ResultEvent[],
    notBefore: ReadonlyMap<number, number>,
    signal?: AbortSignal,
  ): Promise<readonly OffsetRange[]> {
    return findExperiences(
      this.recent,
      results.filter(({ arm }) => arm === 'explore'),
      await this.dependencies.log.watermarks(TOPIC.experiences),
      notBefore,
      signal,
    );
  }

  private algorithm(name: string): Recipe {
    const { recipes } = this.dependencies.method;
    const found = recipes.get(name);
    if (found === undefined) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot plan a training run: expected one of the algorithms ${[...recipes.keys()].join(', ')}, got ${name}. Correct its name.`,
      );
    }
    return found;
  }
}

/** The policy with this run's place in the row of all that were compared. */
function promotionOf(policy: PromotionSettings, comparisons: Comparisons, problemSet: string): RunPromotion {
  const { rule, measure, risk, portion, most, minProblems, tolerance, floor } = policy;
  if (rule === 'tolerance') return { tolerance, minProblems, floor };
  const { looks, promoted, asked } = comparisons;
  const look = looks + 1;
  const level = onlineLevel(look, promoted, risk);
  const place = { look, promoted, level, asked: { ...asked.get(problemSet) } };
  return { rule, ...(measure === 'share' ? { measure } : {}), risk, ...place, portion, most, minProblems };
}

function copies(ranges: readonly OffsetRange[]): OffsetRange[] {
  return ranges.map((range) => ({ ...range }));
}
