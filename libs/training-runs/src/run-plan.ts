/**
 * What a run is: everything that its result depends on, as TrainingRunPlanned records it. The run's id is derived from
 * it: the same run, planned again after a kill or in a replay, has the same id.
 */
import {
  type BufferManifestRef,
  type EventMeta,
  GENERATOR_SLOT,
  type OffsetRange,
  SEAM_METHOD,
  type TrainingRunPlanned,
  type TrainingRunStarted,
} from '@seamstream/events';
import { canonicalJson, derivedId, SeamError, sha256 } from '@seamstream/kernel';
import { z } from 'zod';

const rangeSchema = z.object({ topic: z.string(), partition: z.int(), from: z.int(), to: z.int() });

/** By what the candidate is judged. A run of an earlier version names no rule: that of tolerance. */
const promotionSchema = z.union([
  z.object({
    rule: z.literal('better'),
    /** The share that is right of each problem is compared. Absent: whole problems are. */
    measure: z.literal('share').optional(),
    /** Share of wrong promotions that is accepted. */
    risk: z.number(),
    /** Which comparison of this log it is, from 1, and how many before it led to a promotion: what its level follows from. */
    look: z.int(),
    promoted: z.int(),
    level: z.number(),
    /** Validation problems that earlier comparisons asked, by domain: the next ones are asked. */
    asked: z.record(z.string(), z.int()),
    /** Problems asked at once, and in all. */
    portion: z.int(),
    most: z.int(),
    minProblems: z.int(),
  }),
  z.object({
    rule: z.literal('tolerance').optional(),
    tolerance: z.number(),
    minProblems: z.int(),
    floor: z.number(),
  }),
]);

export type RunPromotion = z.infer<typeof promotionSchema>;

/** With what the candidate is measured. */
const evaluationSchema = z.object({
  /** Most tokens of an executor's response, and of an entry. */
  responseMaxTokens: z.int(),
  entryMaxTokens: z.int(),
  /** The validation problems, by name and by SHA-256 of all of them. Absent in runs of an earlier version. */
  problemSet: z.object({ name: z.string(), digest: z.string() }).optional(),
});

export type EvaluationTerms = z.infer<typeof evaluationSchema>;

/** The JSON in the configuration of TrainingRunPlanned and TrainingRunStarted. */
const runConfigurationSchema = z.object({
  /** The algorithm's own configuration, with every default filled in. */
  algorithm: z.record(z.string(), z.unknown()),
  /** Why this algorithm, in words. */
  reason: z.string(),
  /** The self-training that the run is a step of, and which iteration of it, from 1; absent for other runs. */
  iteration: z.object({ of: z.string(), index: z.int().positive() }).optional(),
  /** Of problems that adapters before learned from, by id: a candidate that costs more of them is not promoted. Absent where that does not decide. */
  retention: z.object({ mostCost: z.number(), problems: z.array(z.string()) }).optional(),
  /** Null for a run that a person asked for. */
  window: z
    .object({
      /** 1, 2, 3, … */
      index: z.int(),
      /** The results of this window, and the experiences that they belong to. */
      outcomes: z.array(rangeSchema),
      experiences: z.array(rangeSchema),
      /** Earlier windows' groups with records in these ranges, and how many windows ago they were complete; absent if there are none. */
      repeated: z.record(z.string(), z.int()).optional(),
      /** Of the results in these ranges those that nothing else in the log bears out; absent when there are none. */
      refused: z.array(rangeSchema).optional(),
    })
    .nullable(),
  /** Groups in the inputs that are not learned from: of windows that are no inputs, recorded again. Absent when there are none. */
  excluded: z.array(z.string()).optional(),
  /** Results in the inputs that are not learned from, since nothing else in the log bears them out. Absent when there are none. */
  refused: z.array(rangeSchema).optional(),
  /** What people said of answers, up to the plan; absent where the algorithm does not hear it, and in runs of earlier versions. */
  feedback: z
    .object({
      ranges: z.array(rangeSchema),
      /** As `tenant/key` those that may judge and did so there. Of what is said without a user's name only theirs counts. */
      keys: z.array(z.string()),
    })
    .optional(),
  /** Adapters that were served, oldest first; the last is the parent. */
  servedAdapters: z.array(z.string().nullable()),
  /** Running success rates after this window. */
  curriculum: z.object({ rounds: z.int(), rates: z.record(z.string(), z.number()), overall: z.number().nullable() }),
  /** Domains that appeared in the log so far: those that the evaluation covers. */
  domains: z.array(z.string()),
  promotion: promotionSchema,
  evaluation: evaluationSchema,
});

/** Which iteration of which self-training a run belongs to. */
export type RunIteration = NonNullable<RunConfiguration['iteration']>;
/** What a run hears of people. */
export type RunFeedback = NonNullable<RunConfiguration['feedback']>;
/** What a candidate has to keep. */
export type RunRetention = NonNullable<RunConfiguration['retention']>;
export type RunConfiguration = z.infer<typeof runConfigurationSchema>;
export type RunWindow = NonNullable<RunConfiguration['window']>;

export interface RunPlan {
  readonly runId: string;
  /** How attempts become a better artefact, and what that is served as. */
  readonly method: string;
  readonly slot: string;
  readonly algorithm: string;
  readonly configuration: RunConfiguration;
  readonly inputs: readonly OffsetRange[];
  /** Of the buffer, where that is read: one per shard, by shard. */
  readonly manifests: readonly BufferManifestRef[];
  readonly baseModelDigest: string;
  readonly parentAdapter: string | null;
  readonly seed: string;
  readonly codeVersion: string;
}

/**
 * Fills in the id (UUIDv5 of everything else but the code's version and the place of its comparison in the row of all: the same run,
 * asked for again, is not compared a second time) and makes the seed that of these results. The id knows
 * offsets, the seed must not: where transactions leave gaps, offsets follow from how records were batched, and a record that is
 * written twice moves all later ones. Equal results lead to equal weights.
 * @param results ids of the results that the run learns from, in any order, repeated or not
 */
export function planRun(facts: Omit<RunPlan, 'runId'>, results: Iterable<string>): RunPlan {
  const content = sha256(canonicalJson([...new Set(results)].sort()));
  const seeded = { ...facts, seed: `${facts.seed}:${content}` };
  return { ...seeded, runId: idOf(seeded) };
}

/** What a run's id is derived from; of a recorded run the configuration as it is in the log, from any version. */
type IdentifiedFacts = Omit<RunPlan, 'runId' | 'configuration'> & { readonly configuration: object };

function idOf(facts: IdentifiedFacts): string {
  const { configuration, method, slot, ...others } = namedFacts(facts);
  const named = method === SEAM_METHOD && slot === GENERATOR_SLOT ? {} : { method, slot };
  // Not the code's version: after an upgrade between kill and restart the run resumes.
  return nameOf({ ...others, ...named, configuration: withoutPlace(configuration), codeVersion: null });
}

/** The id that the first releases gave: the same run was never requested twice, and the version was no part of the id. */
function firstIdOf(facts: IdentifiedFacts): string {
  const { algorithm, configuration, inputs, manifests, baseModelDigest, parentAdapter, seed } = facts;
  const manifest = manifests[0] ?? null;
  return nameOf({ algorithm, configuration, inputs, manifest, baseModelDigest, parentAdapter, seed });
}

function namedFacts({
  method,
  slot,
  algorithm,
  configuration,
  inputs,
  manifests,
  baseModelDigest,
  parentAdapter,
  seed,
}: IdentifiedFacts): Omit<IdentifiedFacts, 'manifests' | 'codeVersion'> {
  // As it was before there were shards, so that runs keep their ids.
  const buffer = manifests.length > 1 ? { manifests } : { manifest: manifests[0] ?? null };
  return { method, slot, algorithm, configuration, inputs, baseModelDigest, parentAdapter, seed, ...buffer };
}

function nameOf(content: object): string {
  return derivedId(sha256(canonicalJson(content)), 'training-run');
}

function withoutPlace(configuration: object): object {
  const { promotion } = configuration as { readonly promotion?: Partial<RunPromotion> };
  if (promotion?.rule !== 'better') return configuration;
  const { rule, measure, risk, portion, most, minProblems } = promotion;
  const named = measure === undefined ? {} : { measure };
  return { ...configuration, promotion: { rule, ...named, risk, portion, most, minProblems } };
}

/** Whether a record's run has the id that its content leads to: then the content was not changed and the id was not made up. */
export function isNamedByContent(event: TrainingRunPlanned | TrainingRunStarted): boolean {
  const { runId, configuration: text } = event;
  let configuration: object;
  try {
    configuration = JSON.parse(text) as object;
  } catch {
    return false;
  }
  const named = { ...event, configuration, manifests: manifestsOf(event) };
  return runId === idOf(named) || ('manifestKey' in event && runId === firstIdOf(named));
}

/**
 * The event that states the plan.
 * @param queue whose workers take it; empty: only the caller carries it out
 */
export function plannedEvent(plan: RunPlan, queue: string, meta: EventMeta): TrainingRunPlanned {
  return { ...plan, meta, queue, configuration: canonicalJson(plan.configuration), attestation: null };
}

/** The event that states that the plan is being carried out. */
export function startedEvent({ manifests, configuration, ...facts }: RunPlan, meta: EventMeta): TrainingRunStarted {
  const only = manifests.length === 1 ? manifests[0] : undefined;
  return {
    ...facts,
    meta,
    configuration: canonicalJson(configuration),
    manifestKey: only?.key ?? null,
    manifestDigest: only?.digest ?? null,
    manifests: only === undefined ? manifests : [],
  };
}

/** What an adapter's record says of the manifests that it learned from: the digest of the only one, or of the list of theirs. */
export function manifestsDigest(manifests: readonly BufferManifestRef[]): string | null {
  const digests = manifests.map(({ digest }) => digest);
  return digests.length > 1 ? sha256(canonicalJson(digests)) : (digests[0] ?? null);
}

/** The plan that an event states. @throws DATA_REFUSED when its configuration is not one of this version */
export function planOf(event: TrainingRunPlanned | TrainingRunStarted): RunPlan {
  const { runId, method, slot, algorithm, inputs, baseModelDigest, parentAdapter, seed, codeVersion } = event;
  return {
    runId,
    method,
    slot,
    algorithm,
    configuration: runConfigurationOf(event),
    inputs,
    manifests: manifestsOf(event),
    baseModelDigest,
    parentAdapter,
    seed,
    codeVersion,
  };
}

function manifestsOf(event: TrainingRunPlanned | TrainingRunStarted): readonly BufferManifestRef[] {
  return 'manifestKey' in event && event.manifestKey !== null && event.manifestDigest !== null
    ? [{ key: event.manifestKey, digest: event.manifestDigest }]
    : event.manifests;
}

/** @throws DATA_REFUSED */
export function runConfigurationOf({
  runId,
  configuration,
}: Pick<TrainingRunStarted, 'runId' | 'configuration'>): RunConfiguration {
  try {
    return runConfigurationSchema.parse(JSON.parse(configuration));
  } catch (cause) {
    throw new SeamError(
      'DATA_REFUSED',
      `Cannot read training run ${runId}: expected the configuration that this trainer writes, got ${configuration.slice(0, 200)}. Use the version that wrote it.`,
      { cause },
    );
  }
}
