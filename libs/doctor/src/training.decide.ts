/** What the figures of a training run say, and what became of the adapters that runs made. */
import type { AdapterPublished } from '@seamstream/events';
import { type Finding, finding, LIMITS, percent } from './finding.js';
import { type FinishedGroup, noVariance } from './rollouts.decide.js';

type Figures = Readonly<Record<string, number>>;

/** A run as its events tell it. */
export interface RunFacts {
  readonly algorithm: string;
  /** The algorithm's configuration as recorded; null where it cannot be read. */
  readonly settings: Readonly<Record<string, unknown>> | null;
  /** Error code of a run that failed. */
  readonly code: string | null;
  readonly metrics: Figures;
  /** Figures of its checkpoints. */
  readonly checkpoints: readonly Figures[];
}

/** @param snapshots of read models, compared with the records that they were folded from */
export function examineSnapshots(
  snapshots: readonly { readonly model: string; readonly records: number; readonly state: string }[],
): readonly Finding[] {
  const wrong = snapshots.filter(({ state }) => state === 'disagrees');
  if (wrong.length === 0) return [];
  const which = wrong.map(({ model, records }) => `${model} (${records} records)`).join(', ');
  return [
    finding(
      'snapshot-disagrees',
      'error',
      `Snapshots answer otherwise than the records they were folded from: ${which}.`,
    ),
  ];
}

export function examineRun(run: RunFacts): readonly Finding[] {
  return [...groupsOf(run), ...divergence(run), ...collapse(run), ...age(run), ...agreement(run), ...gradient(run)];
}

function groupsOf({ metrics }: RunFacts): Finding[] {
  const { groups = 0, smallGroups = 0, scoredGroups = 0, liveGroups, deadSolvedGroups = 0 } = metrics;
  const small =
    smallGroups === 0 || smallGroups < groups * LIMITS.smallShare
      ? []
      : [
          finding(
            'groups-of-one',
            'error',
            `${smallGroups} of the run's ${groups} groups have fewer than two verdicts.`,
          ),
        ];
  // Only algorithms that compare within groups count the live ones.
  return liveGroups === undefined ? small : [...small, ...noVariance(scoredGroups, liveGroups, deadSolvedGroups)];
}

function divergence({ code, metrics, checkpoints, settings }: RunFacts): Finding[] {
  if (code === 'NON_FINITE')
    return [finding('kl-explosion', 'error', 'The run ended because its figures were no finite numbers any more.')];
  const highest = Math.max(0, ...[metrics, ...checkpoints].map(({ klNats = 0 }) => klNats));
  const limit = correctionOf(settings) === 'taper' ? LIMITS.taperedKlNats : LIMITS.klNats;
  if (highest <= limit) return [];
  return [
    finding(
      'kl-explosion',
      'error',
      `k3 of the policy and its reference is ${highest.toPrecision(3)} nats per replayed token (a distance, not the KL); runs that learned stayed below ${limit}.`,
    ),
  ];
}

function collapse({ metrics }: RunFacts): Finding[] {
  const { entropyNats, meanReward = 0 } = metrics;
  if (entropyNats === undefined || entropyNats >= LIMITS.entropyNats || meanReward >= LIMITS.masteredReward) return [];
  return [
    finding(
      'entropy-collapse',
      'error',
      `The policy's entropy is ${entropyNats.toPrecision(2)} nats per free token at a mean reward of ${percent(meanReward)}: it is sure, and wrong.`,
    ),
  ];
}

function age({ metrics, settings }: RunFacts): Finding[] {
  const { groups = 0, staleGroups = 0, effectiveSampleRatio, ageMean = 0 } = metrics;
  if (groups >= LIMITS.minCases && staleGroups >= groups * LIMITS.staleShare) {
    return [
      finding(
        'stale-data',
        'error',
        `${staleGroups} of ${groups} groups are of adapters too old to be learned from, or of none that was ever served.`,
      ),
    ];
  }
  // Tapered, old entries are meant to be used; sft has no ratios.
  const isByRatio = correctionOf(settings) === 'truncate';
  if (
    !isByRatio ||
    effectiveSampleRatio === undefined ||
    effectiveSampleRatio >= LIMITS.effectiveSampleRatio ||
    ageMean === 0
  )
    return [];
  return [
    finding(
      'stale-data',
      'warning',
      `The entries' tokens count for ${percent(effectiveSampleRatio)} of their number after weighing (effective sample size), at ${ageMean.toFixed(1)} adapters of age on average.`,
    ),
  ];
}

/** Where all entries are by the weights that training starts from, their probabilities must be the same ones again. */
function agreement({ metrics }: RunFacts): Finding[] {
  const { behaviourKlNats = 0, ageMax, staleMembers = 0 } = metrics;
  if (ageMax !== 0 || staleMembers > 0 || behaviourKlNats <= LIMITS.behaviourKlNats) return [];
  return [
    finding(
      'mask-mismatch',
      'error',
      `Recorded and computed probabilities of the same policy differ by ${behaviourKlNats.toPrecision(3)} nats per token: the mask, the tokenizer or the adapter was another one when the entries were written.`,
    ),
  ];
}

function gradient({ metrics }: RunFacts): Finding[] {
  const { gradientNorm, examples = 0, liveGroups } = metrics;
  if (gradientNorm !== 0 || examples === 0 || liveGroups === 0) return [];
  return [
    finding(
      'adapter-not-applied',
      'error',
      `The last step had a gradient of 0 on ${examples} examples: nothing that is trained has a part in the answer.`,
    ),
  ];
}

function correctionOf(settings: RunFacts['settings']): string | undefined {
  const importance = settings?.importance;
  return typeof importance === 'object' && importance !== null && 'correction' in importance
    ? String(importance.correction)
    : undefined;
}

export interface ServingFacts {
  /** By digest. */
  readonly published: ReadonlyMap<string, Pick<AdapterPublished, 'parent' | 'fingerprint' | 'baseModelDigest'>>;
  /** Served now, and since when (milliseconds since the epoch); null: the base model from the beginning. */
  readonly served: { readonly adapterDigest: string; readonly since: number } | null;
  /** Why promotions and rollbacks do not count, of each that the log does not bear out. */
  readonly refused: readonly string[];
}

/** Whether entries are written by what is served, and whether it is any different from what was served before. */
export function examineServing(
  { published, served }: ServingFacts,
  groups: readonly FinishedGroup[],
): readonly Finding[] {
  if (served === null) return [];
  const own = published.get(served.adapterDigest);
  const parent = own?.parent == null ? undefined : published.get(own.parent);
  if (own !== undefined && parent?.fingerprint === own.fingerprint) {
    return [
      finding(
        'adapter-not-applied',
        'error',
        `The served adapter ${served.adapterDigest.slice(0, 8)} answers the probe exactly as its parent does: it changes nothing.`,
      ),
    ];
  }
  const since = groups.filter(({ members }) =>
    members.every(({ experience }) => experience.meta.occurredAt > served.since),
  );
  const without = since.filter(({ members }) =>
    members.every(({ experience }) => experience.adapterDigest !== served.adapterDigest),
  );
  if (since.length < LIMITS.minGroups || without.length < since.length * LIMITS.unservedShare) return [];
  return [
    finding(
      'adapter-not-applied',
      'error',
      `In ${without.length} of ${since.length} groups that were written after adapter ${served.adapterDigest.slice(0, 8)} was promoted, it wrote no entry.`,
    ),
  ];
}

/**
 * Whether a generator that starts could load what is served.
 * @param served what loading it threw; null where it loads
 */
export function examineServedObject(
  served: { readonly adapterDigest: string; readonly key: string; readonly fault: string | null } | null,
): readonly Finding[] {
  if (served?.fault == null) return [];
  const { adapterDigest, key, fault } = served;
  return [
    finding(
      'adapter-unusable',
      'error',
      `The served adapter ${adapterDigest.slice(0, 8)} cannot be loaded from ${key}: ${fault}`,
    ),
  ];
}

/** Records that something claimed and nothing bore out. */
export function examineForgeries({
  decisions,
  results,
}: {
  /** Why promotions and rollbacks do not count. */
  readonly decisions: readonly string[];
  /** Why results do not count. */
  readonly results: readonly string[];
}): readonly Finding[] {
  const [first] = [...decisions, ...results];
  if (first === undefined) return [];
  return [
    finding(
      'forged-records',
      decisions.length > 0 ? 'error' : 'warning',
      `The log does not bear out ${decisions.length} decisions about adapters and ${results.length} results, which do not count (the first: ${first}).`,
    ),
  ];
}

/** What became of successes on their way to the buffer. */
export interface AdmissionFacts {
  readonly admitted: number;
  readonly nearDuplicates: number;
  /** Near duplicates by stratum (domain/difficulty). */
  readonly byStratum: Readonly<Record<string, number>>;
}

export function examineAdmission({ admitted, nearDuplicates, byStratum }: AdmissionFacts): readonly Finding[] {
  const share = nearDuplicates / Math.max(1, admitted + nearDuplicates);
  if (nearDuplicates < LIMITS.minNearDuplicates || share < LIMITS.nearDuplicateShare) return [];
  const [most] = Object.entries(byStratum).sort(([, a], [, b]) => b - a);
  const where = most === undefined ? '' : ` Most are of ${most[0]} (${most[1]}).`;
  return [
    finding(
      'near-duplicate-flood',
      share >= LIMITS.nearDuplicateFlood ? 'error' : 'warning',
      `${nearDuplicates} of ${admitted + nearDuplicates} different successes (${percent(share)}) nearly repeat another one and stayed out of the buffer.${where}`,
    ),
  ];
}
