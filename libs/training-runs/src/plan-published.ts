/** Runs on what was published: problems that no run of the slot has read, which the run rolls out itself, or a set of preference pairs. */
import type { EventLog } from '@seamstream/event-log';
import { type OffsetRange, type ProblemPublished, TOPIC } from '@seamstream/events';
import { canonicalJson, SeamError } from '@seamstream/kernel';
import { initialCurriculum } from '@seamstream/learning';
import { readProblemsInput } from './learning-input.js';
import type { LearningMethod } from './learning-method.js';
import { assertWhole, findPreferences, preferencesIn } from './preference-set.js';
import { RecordedEvents } from './recorded-events.js';
import { type EvaluationTerms, planOf, planRun, type RunConfiguration, type RunPlan } from './run-plan.js';
import { servedAdaptersIn, type TrainingHistory } from './training-history.js';
import type { TrainingRequest } from './training-request.js';
import { hasEnded } from './training-run.js';

/** What a run is asked to read. */
interface PublishedInput {
  readonly inputs: readonly OffsetRange[];
  /** Of the validation problems that its result is compared on. */
  readonly domains: readonly string[];
  /** Ids of the records. */
  readonly records: readonly string[];
}

/** What was published since the last run of the method's slot. @throws INVALID_INPUT where nothing was */
export async function unreadProblems(
  log: EventLog,
  { name, slot }: Pick<LearningMethod, 'name' | 'slot'>,
  history: TrainingHistory,
): Promise<PublishedInput> {
  const inputs: OffsetRange[] = [];
  for (const { partition, low, high } of await log.watermarks(TOPIC.problems)) {
    const from = Math.max(low, endOfProblems(history, slot, partition));
    if (from < high) inputs.push({ topic: TOPIC.problems, partition, from, to: high });
  }
  const { problems } = await readProblemsInput(new RecordedEvents(log), inputs);
  if (problems.length > 0)
    return { inputs, domains: domainsOf(problems), records: problems.map(({ meta }) => meta.messageId) };
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot plan a run of ${name}: expected problems that were published since its last run, got none. Publish some (seam publish).`,
  );
}

/**
 * A set of preference pairs. Its own domains and those of all published problems are compared on.
 * @throws INVALID_INPUT where the settings name none; DATA_REFUSED where the log does not hold all of it
 */
export async function publishedPreferences(
  log: EventLog,
  settings: Readonly<Record<string, unknown>>,
): Promise<PublishedInput> {
  const setDigest = preferencesIn(settings);
  const { inputs, pairs } = await findPreferences(log, setDigest);
  assertWhole(pairs, setDigest);
  const ranges = (await log.watermarks(TOPIC.problems)).map(({ partition, low, high }) => ({
    ...{ topic: TOPIC.problems, partition, from: low, to: high },
  }));
  const { problems } = await readProblemsInput(new RecordedEvents(log), ranges);
  const domains = [...new Set([...pairs.map(({ domain }) => domain), ...domainsOf(problems)])].sort();
  return { inputs, domains, records: pairs.map(({ meta }) => meta.messageId) };
}

const domainsOf = (problems: readonly ProblemPublished[]): readonly string[] =>
  [...new Set(problems.map(({ problem }) => problem.domain))].sort();

export function planPublished(
  { inputs, domains, records }: PublishedInput,
  facts: Pick<RunConfiguration, 'algorithm' | 'promotion' | 'evaluation'> &
    Pick<RunPlan, 'baseModelDigest' | 'seed' | 'codeVersion'> & {
      readonly request: TrainingRequest;
      readonly method: Pick<LearningMethod, 'name' | 'slot'>;
      readonly history: TrainingHistory;
    },
): RunPlan {
  const { request, method, history, algorithm, promotion, evaluation, baseModelDigest, seed, codeVersion } = facts;
  const servedAdapters = servedAdaptersIn(history, method.slot);
  return planRun(
    {
      ...{ method: method.name, slot: method.slot, algorithm: request.algorithm },
      configuration: {
        ...{ algorithm, reason: 'asked for', window: null, servedAdapters: [...servedAdapters] },
        ...(request.iteration === undefined ? {} : { iteration: { ...request.iteration } }),
        curriculum: initialCurriculum,
        domains: [...domains],
        ...{ promotion, evaluation },
      },
      inputs,
      manifests: [],
      parentAdapter: servedAdapters.at(-1) ?? null,
      ...{ baseModelDigest, seed, codeVersion },
    },
    records,
  );
}

/**
 * The run of the slot that was asked for alike and has not ended, the newest where there are several: its process was killed. It is
 * carried out from where it stands, also where problems were published since.
 */
export function unendedRun(
  { runs }: TrainingHistory,
  asked: Pick<RunPlan, 'method' | 'slot' | 'algorithm' | 'baseModelDigest' | 'parentAdapter' | 'codeVersion'> & {
    readonly settings: Readonly<Record<string, unknown>>;
    readonly evaluation: EvaluationTerms;
    /** As configured; a plan's seed has its problems' digest behind it. */
    readonly seed: string;
  },
): RunPlan | undefined {
  const { settings, ...same } = asked;
  const plans = [...runs.values()].flatMap((run) =>
    run.status === 'unknown' || hasEnded(run) ? [] : [planOf(run.plan)],
  );
  return plans.findLast(({ configuration, ...plan }) => {
    const { method, slot, algorithm, baseModelDigest, parentAdapter, codeVersion } = plan;
    const { algorithm: ownSettings, evaluation } = configuration;
    const seed = plan.seed.slice(0, plan.seed.lastIndexOf(':'));
    const own = { method, slot, algorithm, baseModelDigest, parentAdapter, codeVersion, evaluation, seed };
    return (
      configuration.iteration === undefined &&
      canonicalJson({ ...own, settings: ownSettings }) === canonicalJson({ ...same, settings })
    );
  });
}

/**
 * Where the problems of a slot's runs with a result end so far, in a partition of seam.problems: those of a run that was killed, cancelled,
 * or failed by a wrong request are still to be learned from.
 */
function endOfProblems({ runs }: TrainingHistory, slot: string, partition: number): number {
  let end = 0;
  for (const run of runs.values()) {
    if ((run.status !== 'promoted' && run.status !== 'rejected') || run.plan.slot !== slot) continue;
    for (const { topic, to, ...range } of run.plan.inputs)
      if (topic === TOPIC.problems && range.partition === partition) end = Math.max(end, to);
  }
  return end;
}
