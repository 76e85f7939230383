/** A success that may be kept, and the two orders in which such successes go before one another. */
import type { RejectionReason } from '@seamstream/events';
import { canonicalJson, compareText, sha256 } from '@seamstream/kernel';
import type { BufferConfig } from './buffer.config.js';
import { type Group, isComplete, resultsOf, type Success } from './group.js';
import { difficultyOf, groupSuccessRate, helpfulnessClass, type Tally } from './helpfulness.js';

/** What is wrong with an entry. */
export interface EntryFault {
  readonly reason: 'invalid_entry' | 'misquote';
  readonly detail: string;
}

/** Why an entry is not valid in its domain and for its problem, or undefined when it is. Must depend on its arguments alone. */
export type EntryValidator = (domain: string, entry: string, prompt: string) => EntryFault | undefined;

/** A success of a complete group, with what follows from the group and the rules. */
export interface Candidate {
  readonly group: Group;
  readonly pair: Success;
  readonly traits: PairTraits;
  readonly stratum: string;
  /** Of the group, 0 … 1. */
  readonly successRate: number;
  readonly classOfHelp: number;
  /** The group's verdicts, in words: under the same rules they determine the three above. */
  readonly contrast: string;
}

/** What follows from a success and the rules alone. */
export interface PairTraits {
  readonly contentDigest: string;
  /** The text by which near duplicates are found: equal for equal contents. */
  readonly text: string;
  /** Domain and, by scope, entry: near duplicates are sought within them. */
  readonly bucket: string;
  readonly priority: string;
  readonly fault: Pick<Rejection, 'reason' | 'detail'> | null;
}

export interface Rejection {
  readonly reason: Exclude<RejectionReason, 'displaced' | 'aged_out'>;
  readonly detail: string;
  readonly duplicateOf: string | null;
}

/** The successes of a group that may be kept: none of a group that is not complete, or whose arm is not kept. */
export function successesOf(group: Group, config: BufferConfig): readonly Success[] {
  if (group.arm === 'control' || !config.arms.includes(group.arm) || !isComplete(group)) return [];
  return [...resultsOf(group)].flatMap((member) =>
    member.status === 'solved' && member.pair !== null ? [member.pair] : [],
  );
}

export function stratumOf(group: Group, tally: Tally, config: BufferConfig): string {
  return `${group.domain}/${difficultyOf(groupSuccessRate(tally), config)}`;
}

export function candidateOf(
  pair: Success,
  traits: PairTraits,
  { group, tally, config }: { readonly group: Group; readonly tally: Tally; readonly config: BufferConfig },
): Candidate {
  const successRate = groupSuccessRate(tally);
  return {
    group,
    pair,
    traits,
    stratum: stratumOf(group, tally, config),
    successRate,
    classOfHelp: helpfulnessClass(tally, config.helpfulnessClasses),
    contrast: contrastOf(tally),
  };
}

export function contrastOf({ solved, judged }: Tally): string {
  return `${solved} of ${judged} solved`;
}

export function traitsOf(pair: Success, config: BufferConfig, validateEntry: EntryValidator): PairTraits {
  const { domain, prompt } = pair;
  const entry = canonicalEntry(pair.entry);
  const isWithinEntry = config.nearDuplicates.scope === 'entry';
  return {
    contentDigest: sha256(canonicalJson([domain, prompt, entry])),
    text: isWithinEntry ? prompt : `${prompt}\n${entry}`,
    bucket: canonicalJson(isWithinEntry ? [domain, entry] : [domain]),
    priority: sha256(canonicalJson([config.seed, pair.outcomeId])).slice(0, 16),
    fault: lengthFault(pair, config) ?? validityFault(pair, validateEntry),
  };
}

/**
 * Of equals the one whose group needed it most, then the smallest id. The control arm's rate is the same for the whole domain, so
 * it is left out: it may change at any time, and must not change who is the best.
 */
export function byHelpThenId(a: Candidate, b: Candidate): number {
  return a.successRate - b.successRate || byId(a, b);
}

/** In a reservoir: by helpfulness class, descending, then by seeded hash. */
export function byClassThenPriority(a: Candidate, b: Candidate): number {
  return b.classOfHelp - a.classOfHelp || compareText(a.traits.priority, b.traits.priority) || byId(a, b);
}

/** By outcomeId; also of two under one id, which only a faulty executor records, one goes before the other. */
export function byId(a: Candidate, b: Candidate): number {
  return (
    compareText(a.pair.outcomeId, b.pair.outcomeId) ||
    compareText(a.pair.experienceId, b.pair.experienceId) ||
    compareText(a.group.groupId, b.group.groupId)
  );
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
    const detail = `expected a forced flag per token, got ${forced.length} flags for ${tokenIds.length} tokens: the generator that wrote it has another version`;
    return { reason: 'invalid_entry', detail };
  }
  const fault = validateEntry(pair.domain, pair.entry, pair.prompt);
  if (fault !== undefined) return fault;
  // Only its executor has seen the answer: what earned no reward is nothing to learn from.
  if (pair.reward === 0) return { reason: 'invalid_entry', detail: 'its success earned no reward' };
  return null;
}

function lengthFault(pair: Success, { lengths }: BufferConfig): PairTraits['fault'] {
  const { minEntryTokens, maxEntryTokens, maxPromptTokens } = lengths;
  const entryTokens = pair.tokenIds.length;
  const promptTokens = pair.promptTokenIds.length;
  if (entryTokens >= minEntryTokens && entryTokens <= maxEntryTokens && promptTokens <= maxPromptTokens) return null;
  return {
    reason: 'length_out_of_bounds',
    detail: `entry of ${entryTokens} tokens (expected ${minEntryTokens} … ${maxEntryTokens}), prompt of ${promptTokens} (expected at most ${maxPromptTokens})`,
  };
}
