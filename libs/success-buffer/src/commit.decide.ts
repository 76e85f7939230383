/**
 * The decision what the buffer holds: every success of a complete group passes, in this order, validity, length bounds,
 * exact duplicates, near duplicates, the cap of its source and the capacity of its stratum. The result is computed from
 * all successes folded so far, never from the previous result; only what is *said* (the decisions) depends on what was
 * said before.
 */

import type { RejectionReason } from '@seamstream/events';
import { canonicalJson, compareText, sha256 } from '@seamstream/kernel';
import type { BufferDecision, BufferRow } from './buffer.types.js';
import {
  type Announcement,
  type BufferState,
  forgetAged,
  type Group,
  isComplete,
  type PairTraits,
  resultsOf,
  type Success,
} from './buffer-state.js';
import {
  controlSuccessRates,
  difficultyOf,
  groupSuccessRate,
  helpfulness,
  helpfulnessClass,
  tallyOf,
} from './helpfulness.js';
import { NearDuplicateClusters } from './near-duplicates.js';
import { rowsDigest } from './rows.js';

/** Why an entry is not valid in its domain, or undefined when it is. Must depend on its arguments alone. */
export type EntryValidator = (domain: string, entry: string) => string | undefined;

export interface BufferCommit {
  /** The state that goes on; the given one stays as it was, apart from results past the age limit. */
  readonly state: BufferState;
  /** What changed since the previous commit, ascending by outcomeId. */
  readonly decisions: readonly BufferDecision[];
  /** All rows kept, ascending by outcomeId. */
  readonly rows: readonly BufferRow[];
  /** SHA-256 over the rows' canonical JSON lines: equal content, equal digest. */
  readonly bufferDigest: string;
  readonly rowsPerStratum: Readonly<Record<string, number>>;
}

interface Candidate {
  readonly pair: Success;
  readonly traits: PairTraits;
  readonly stratum: string;
  readonly helpfulness: number;
  readonly classOfHelp: number;
  /** The group's verdicts, in words. */
  readonly contrast: string;
}

interface Rejection {
  readonly reason: Exclude<RejectionReason, 'displaced' | 'aged_out'>;
  readonly detail: string;
  readonly duplicateOf: string | null;
}

/** What is kept now, and every decision that is new since the last commit. Commits on the returned state only. */
export function commit(state: BufferState, options: { readonly validateEntry: EntryValidator }): BufferCommit {
  forgetAged(state);
  const candidates = collectCandidates(state, options.validateEntry);
  const rejections = new Map<string, Rejection>();
  const reject = (candidate: Candidate, rejection: Rejection): void => {
    rejections.set(candidate.pair.outcomeId, rejection);
  };

  const valid = candidates.filter((candidate) => {
    const { fault } = candidate.traits;
    if (fault !== null) reject(candidate, { ...fault, duplicateOf: null });
    return fault === null;
  });
  const unique = bestOfEach(
    valid,
    ({ traits }) => traits.contentDigest,
    (candidate, best) =>
      reject(candidate, {
        reason: 'exact_duplicate',
        detail: `same content as an outcome of a group with ${best.contrast}`,
        duplicateOf: best.pair.outcomeId,
      }),
  );
  const clusterOf = nearDuplicateClusters(state, unique);
  const distinct = bestOfEach(unique, clusterOf, (candidate, best) =>
    reject(candidate, {
      reason: 'near_duplicate',
      detail: `resembles an outcome of a group with ${best.contrast}`,
      duplicateOf: best.pair.outcomeId,
    }),
  );
  const { maxRowsPerSubject, capacityPerStratum } = state.config;
  const capped = keepMostHelpful(
    distinct,
    ({ pair }) => pair.subject,
    maxRowsPerSubject === 0 ? Number.POSITIVE_INFINITY : maxRowsPerSubject,
    (candidate) =>
      reject(candidate, {
        reason: 'subject_cap',
        detail: `subject ${String(candidate.pair.subject)} holds its ${maxRowsPerSubject} rows`,
        duplicateOf: null,
      }),
  );
  const kept = keepMostHelpful(
    capped,
    ({ stratum }) => stratum,
    capacityPerStratum,
    (candidate) =>
      reject(candidate, {
        reason: 'stratum_full',
        detail: `stratum ${candidate.stratum} holds ${capacityPerStratum} pairs that go before it`,
        duplicateOf: null,
      }),
  );

  const rows = kept.map(rowOf).sort((a, b) => compareText(a.outcomeId, b.outcomeId));
  const { announced, decisions } = announce(state, candidates, rejections);
  const rowsPerStratum: Record<string, number> = {};
  for (const stratum of rows.map((row) => row.stratum).sort(compareText))
    rowsPerStratum[stratum] = (rowsPerStratum[stratum] ?? 0) + 1;
  return {
    state: { ...state, sequence: state.sequence + 1, announced },
    decisions,
    rows,
    bufferDigest: rowsDigest(rows),
    rowsPerStratum,
  };
}

function collectCandidates(state: BufferState, validateEntry: EntryValidator): Candidate[] {
  const groups = [...state.groups.values()];
  const controlRates = controlSuccessRates(groups.filter(({ arm }) => arm === 'control'));
  const candidates: Candidate[] = [];
  for (const group of groups) {
    if (group.arm === 'control' || !state.config.arms.includes(group.arm) || !isComplete(group)) continue;
    candidates.push(...candidatesOf(state, group, controlRates.get(group.domain), validateEntry));
  }
  return candidates;
}

function candidatesOf(
  state: BufferState,
  group: Group,
  controlRate: number | undefined,
  validateEntry: EntryValidator,
): Candidate[] {
  const tally = tallyOf(group);
  const rate = groupSuccessRate(tally);
  const candidates: Candidate[] = [];
  for (const member of resultsOf(group)) {
    if (member.status !== 'solved' || member.pair === null) continue;
    candidates.push({
      pair: member.pair,
      traits: traitsOf(state, member.pair, validateEntry),
      stratum: `${group.domain}/${difficultyOf(rate, state.config)}`,
      helpfulness: helpfulness(rate, controlRate),
      classOfHelp: helpfulnessClass(tally, state.config.helpfulnessClasses),
      contrast: `${tally.solved} of ${tally.judged} solved`,
    });
  }
  return candidates;
}

function traitsOf(state: BufferState, pair: Success, validateEntry: EntryValidator): PairTraits {
  const known = state.workspace.traits.get(pair);
  if (known !== undefined) return known;
  const { config } = state;
  const entry = canonicalEntry(pair.entry);
  const traits: PairTraits = {
    contentDigest: sha256(canonicalJson([pair.domain, pair.prompt, entry])),
    bucket: canonicalJson(config.nearDuplicates.scope === 'entry' ? [pair.domain, entry] : [pair.domain]),
    priority: sha256(canonicalJson([config.seed, pair.outcomeId])).slice(0, 16),
    fault: lengthFault(state, pair) ?? validityFault(pair, validateEntry),
  };
  state.workspace.traits.set(pair, traits);
  return traits;
}

/** Equal for entries that differ in white space and the order of keys only. */
function canonicalEntry(entry: string): string {
  try {
    return canonicalJson(JSON.parse(entry));
  } catch {
    return entry; // No JSON: its validator will say so; until then the text is its own form.
  }
}

function validityFault(pair: Success, validateEntry: EntryValidator): PairTraits['fault'] {
  const { tokenIds, forced } = pair;
  if (forced.length !== tokenIds.length) {
    const detail = `expected a forced flag per token, came ${forced.length} flags for ${tokenIds.length} tokens: the generator that wrote it is not of this version`;
    return { reason: 'invalid_entry', detail };
  }
  const detail = validateEntry(pair.domain, pair.entry);
  return detail === undefined ? null : { reason: 'invalid_entry', detail };
}

function lengthFault(state: BufferState, pair: Success): PairTraits['fault'] {
  const { minEntryTokens, maxEntryTokens, maxPromptTokens } = state.config.lengths;
  const entryTokens = pair.tokenIds.length;
  const promptTokens = pair.promptTokenIds.length;
  if (entryTokens >= minEntryTokens && entryTokens <= maxEntryTokens && promptTokens <= maxPromptTokens) return null;
  return {
    reason: 'length_out_of_bounds',
    detail: `entry of ${entryTokens} tokens (expected ${minEntryTokens} … ${maxEntryTokens}), prompt of ${promptTokens} (expected at most ${maxPromptTokens})`,
  };
}

/** Identity of a candidate's cluster. Indexes of earlier commits go on as long as all their texts are still there. */
function nearDuplicateClusters(state: BufferState, unique: readonly Candidate[]): (candidate: Candidate) => string {
  const { scope, threshold, shingleWords } = state.config.nearDuplicates;
  if (scope === 'off') return ({ traits }) => traits.contentDigest;
  const { buckets } = state.workspace;
  const members = Map.groupBy(unique, ({ traits }) => traits.bucket);
  for (const bucket of [...buckets.keys()]) if (!members.has(bucket)) buckets.delete(bucket);
  for (const [bucket, inBucket] of members) {
    const present = new Set(inBucket.map(({ traits }) => traits.contentDigest));
    let index = buckets.get(bucket);
    // A text that left may have been the only link between two others: joins cannot be undone, so begin anew.
    if (index === undefined || [...index.ids.keys()].some((digest) => !present.has(digest))) {
      index = { clusters: new NearDuplicateClusters({ threshold, shingleWords }), ids: new Map(), digests: [] };
      buckets.set(bucket, index);
    }
    for (const { pair, traits } of inBucket) {
      if (index.ids.has(traits.contentDigest)) continue;
      const id = index.clusters.add(scope === 'entry' ? pair.prompt : `${pair.prompt}\n${pair.entry}`);
      index.ids.set(traits.contentDigest, id);
      index.digests[id] = traits.contentDigest;
    }
  }
  return ({ traits }) => {
    const index = buckets.get(traits.bucket)!;
    // The cluster is called by its first text: contents of different buckets have different digests.
    return index.digests[index.clusters.clusterOf(index.ids.get(traits.contentDigest)!)]!;
  };
}

/** The best candidate per key: the most helpful, then the smallest id. The others are given to `onOther`. */
function bestOfEach(
  candidates: readonly Candidate[],
  keyOf: (candidate: Candidate) => string,
  onOther: (candidate: Candidate, best: Candidate) => void,
): Candidate[] {
  const best: Candidate[] = [];
  for (const alike of Map.groupBy(candidates, keyOf).values()) {
    const first = alike.reduce((a, b) => (byHelpThenId(a, b) <= 0 ? a : b));
    best.push(first);
    for (const candidate of alike) if (candidate !== first) onOther(candidate, first);
  }
  return best;
}

/**
 * Bottom-k per key: the `capacity` first by helpfulness class (descending) and seeded hash. A sample drawn this way
 * needs no memory of what it saw (Cohen and Kaplan 2007, https://doi.org/10.1145/1281100.1281133). Key null has no limit.
 */
function keepMostHelpful(
  candidates: readonly Candidate[],
  keyOf: (candidate: Candidate) => string | null,
  capacity: number,
  onOther: (candidate: Candidate) => void,
): Candidate[] {
  const kept: Candidate[] = [];
  for (const [key, alike] of Map.groupBy(candidates, keyOf)) {
    if (key === null || alike.length <= capacity) {
      kept.push(...alike);
      continue;
    }
    alike.sort(byClassThenPriority);
    kept.push(...alike.slice(0, capacity));
    for (const candidate of alike.slice(capacity)) onOther(candidate);
  }
  return kept;
}

function announce(
  state: BufferState,
  candidates: readonly Candidate[],
  rejections: ReadonlyMap<string, Rejection>,
): { announced: ReadonlyMap<string, Announcement>; decisions: BufferDecision[] } {
  const announced = new Map<string, Announcement>();
  const decisions: BufferDecision[] = [];
  for (const { pair, stratum, traits, helpfulness: value } of candidates) {
    const { outcomeId, experienceId, problemId } = pair;
    const rejection = rejections.get(outcomeId);
    const status = rejection === undefined ? 'admitted' : 'rejected';
    const before = state.announced.get(outcomeId);
    announced.set(outcomeId, { experienceId, problemId, status, stratum });
    if (before?.status === status) continue;
    const facts = { stratum, outcomeId, experienceId, problemId };
    decisions.push(
      rejection === undefined
        ? { type: 'SuccessAdmitted', ...facts, contentDigest: traits.contentDigest, helpfulness: value }
        : {
            type: 'SuccessRejected',
            ...facts,
            ...(before === undefined ? rejection : displacedBy(rejection)),
          },
    );
  }
  for (const [outcomeId, { status, ...facts }] of state.announced) {
    if (status !== 'admitted' || announced.has(outcomeId)) continue;
    const { maxAgeRecords } = state.config;
    const why: { readonly reason: RejectionReason; readonly detail: string } =
      maxAgeRecords > 0
        ? {
            reason: 'aged_out',
            detail: `a result of its group lies more than ${maxAgeRecords} records before the newest of its partition`,
          }
        : { reason: 'displaced', detail: 'another verdict counts, or its arm is kept no longer' };
    decisions.push({ type: 'SuccessRejected', ...facts, ...why, outcomeId, duplicateOf: null });
  }
  return { announced, decisions: decisions.sort((a, b) => compareText(a.outcomeId, b.outcomeId)) };
}

function displacedBy({ detail, duplicateOf, reason }: Rejection): {
  reason: RejectionReason;
  detail: string;
  duplicateOf: string | null;
} {
  return { reason: 'displaced', detail: `${reason}: ${detail}`, duplicateOf };
}

/**
 * Without the subject: the buffer is training data, and whose it was is in the log, by outcomeId. Keys in their order, which
 * spares canonical JSON a copy of every row.
 */
function rowOf({ pair, stratum, helpfulness: value }: Candidate): BufferRow {
  return {
    adapterDigest: pair.adapterDigest,
    baseModelDigest: pair.baseModelDigest,
    domain: pair.domain,
    entry: pair.entry,
    experienceId: pair.experienceId,
    forced: pair.forced,
    helpfulness: value,
    outcomeId: pair.outcomeId,
    problemId: pair.problemId,
    prompt: pair.prompt,
    promptTokenIds: pair.promptTokenIds,
    reward: pair.reward,
    stratum,
    tokenIds: pair.tokenIds,
  };
}

function byHelpThenId(a: Candidate, b: Candidate): number {
  return b.helpfulness - a.helpfulness || compareText(a.pair.outcomeId, b.pair.outcomeId);
}

function byClassThenPriority(a: Candidate, b: Candidate): number {
  return (
    b.classOfHelp - a.classOfHelp ||
    compareText(a.traits.priority, b.traits.priority) ||
    compareText(a.pair.outcomeId, b.pair.outcomeId)
  );
}
