/**
 * Which of all successes are kept, updated group by group: a version costs as much as is new, not as much as is remembered. Every
 * success of a complete group passes, in this order,
 *
 *   validity and length ─► best of equal contents ─► best of its near duplicates ─► cap of its subject ─► capacity of its stratum
 *
 * and each stage reports to the next which successes now pass it and which no longer do. A stage compares only facts of the
 * successes, so what is kept is a function of the set of groups, regardless of the way to it.
 */
import type { BufferConfig } from './buffer.config.js';
import type { BufferRow } from './buffer.types.js';
import {
  byId,
  type Candidate,
  candidateOf,
  contrastOf,
  type EntryValidator,
  type Rejection,
  successesOf,
  traitsOf,
} from './candidate.js';
import { Changes } from './changes.js';
import { DistinctContents } from './distinct-contents.js';
import type { Group } from './group.js';
import { ControlRates, helpfulness, tallyOf } from './helpfulness.js';
import { Reservoirs } from './reservoirs.js';
import { rowLine } from './rows.js';

/** A row with its line of JSON, which the buffer's digest is made of. */
export interface KeptRow {
  readonly row: BufferRow;
  readonly line: string;
}

/** The cap's name for problems without a subject. */
const NOBODY = '(nobody)';

export class Selection {
  private readonly candidates = new Map<string, ReadonlyMap<string, Candidate>>(); // by groupId, experienceId
  private readonly controls = new ControlRates();
  private readonly distinct: DistinctContents;
  /** Undefined where subjects have no cap. */
  private readonly subjects: Reservoirs | undefined;
  private readonly strata: Reservoirs;
  /** Ascending by outcomeId. */
  private keptCandidates: readonly Candidate[] = [];
  private readonly rows = new WeakMap<Candidate, KeptRow>();

  constructor(
    private readonly config: BufferConfig,
    private readonly validateEntry: EntryValidator,
  ) {
    this.distinct = new DistinctContents(config.nearDuplicates);
    const { maxRowsPerSubject, capacityPerStratum, uncappedSubjects = [NOBODY] } = config;
    const uncapped = new Set(uncappedSubjects);
    this.subjects =
      maxRowsPerSubject === 0
        ? undefined
        : new Reservoirs(maxRowsPerSubject, ({ pair: { subject } }) => {
            const name = subject ?? NOBODY;
            return uncapped.has(name) ? null : name;
          });
    this.strata = new Reservoirs(capacityPerStratum, ({ stratum }) => stratum);
  }

  /**
   * Takes in how these groups are now, also those that have no results any more.
   * @returns the candidates of which it may have changed whether they are kept
   */
  update(groups: Iterable<Group>): Iterable<Candidate> {
    const valid = new Changes<Candidate>();
    const reviewed = new Set<Candidate>();
    for (const group of groups) {
      if (group.arm === 'control') this.controls.set(group);
      else for (const candidate of this.updateGroup(group, valid)) reviewed.add(candidate);
    }
    const distinct = this.distinct.update(valid);
    const capped = this.subjects?.update(distinct) ?? distinct;
    const kept = this.strata.update(capped);
    this.keptCandidates = merged(this.keptCandidates, kept);
    for (const changes of [distinct, capped, kept]) for (const candidate of changes.all()) reviewed.add(candidate);
    return Iterator.from(reviewed).filter((candidate) => this.isCandidate(candidate));
  }

  /** Whether the selection was made under these rules and can be continued. */
  isUnder(config: BufferConfig, validateEntry: EntryValidator): boolean {
    return this.config === config && this.validateEntry === validateEntry;
  }

  /** The outcome that is a candidate of a group for an experience, as of the last update; undefined when none is. */
  outcomeOf({ groupId }: Group, experienceId: string): string | undefined {
    return this.candidates.get(groupId)?.get(experienceId)?.pair.outcomeId;
  }

  /** Why a candidate is not kept; undefined when it is. */
  rejectionOf(candidate: Candidate): Rejection | undefined {
    const { traits, pair, stratum } = candidate;
    if (traits.fault !== null) return { ...traits.fault, duplicateOf: null };
    const { ofContent, ofCluster } = this.distinct.bestOf(candidate);
    if (ofContent !== candidate) {
      const detail = `same content as an outcome of a group with ${ofContent.contrast}`;
      return { reason: 'exact_duplicate', detail, duplicateOf: ofContent.pair.outcomeId };
    }
    if (ofCluster !== candidate) {
      const detail = `resembles an outcome of a group with ${ofCluster.contrast}`;
      return { reason: 'near_duplicate', detail, duplicateOf: ofCluster.pair.outcomeId };
    }
    const { maxRowsPerSubject, capacityPerStratum } = this.config;
    if (this.subjects?.keeps(candidate) === false) {
      const detail = `subject ${pair.subject ?? NOBODY} holds its ${maxRowsPerSubject} rows`;
      return { reason: 'subject_cap', detail, duplicateOf: null };
    }
    if (this.strata.keeps(candidate)) return undefined;
    const detail = `stratum ${stratum} holds ${capacityPerStratum} pairs that go before it`;
    return { reason: 'stratum_full', detail, duplicateOf: null };
  }

  helpfulnessOf({ successRate, pair }: Candidate): number {
    return helpfulness(successRate, this.controls.rateOf(pair.domain));
  }

  /** What is kept, ascending by outcomeId. */
  kept(): readonly KeptRow[] {
    return this.keptCandidates.map((candidate) => this.keptRow(candidate));
  }

  /** @returns the group's new candidates */
  private updateGroup(group: Group, valid: Changes<Candidate>): readonly Candidate[] {
    const before = this.candidates.get(group.groupId) ?? new Map<string, Candidate>();
    const now = this.collect(group, before);
    if (now.size > 0) this.candidates.set(group.groupId, now);
    else this.candidates.delete(group.groupId);
    for (const [experienceId, candidate] of before)
      if (candidate.traits.fault === null && now.get(experienceId) !== candidate) valid.leave(candidate);
    const come = [...now.values()].filter((candidate) => before.get(candidate.pair.experienceId) !== candidate);
    for (const candidate of come) if (candidate.traits.fault === null) valid.enter(candidate);
    return come;
  }

  /** The group's candidates: the known ones where nothing about them has changed. */
  private collect(group: Group, known: ReadonlyMap<string, Candidate>): ReadonlyMap<string, Candidate> {
    const { config, validateEntry } = this;
    const tally = tallyOf(group);
    const contrast = contrastOf(tally);
    const candidates = new Map<string, Candidate>();
    for (const pair of successesOf(group, config)) {
      const other = known.get(pair.experienceId);
      const before = other?.pair === pair ? other : undefined;
      if (before?.contrast === contrast) candidates.set(pair.experienceId, before);
      else {
        const traits = before?.traits ?? traitsOf(pair, config, validateEntry);
        candidates.set(pair.experienceId, candidateOf(pair, traits, { group, tally, config }));
      }
    }
    return candidates;
  }

  private isCandidate(candidate: Candidate): boolean {
    const { group, pair } = candidate;
    return this.candidates.get(group.groupId)?.get(pair.experienceId) === candidate;
  }

  private keptRow(candidate: Candidate): KeptRow {
    const known = this.rows.get(candidate);
    const value = this.helpfulnessOf(candidate);
    if (known?.row.helpfulness === value) return known;
    const row = rowOf(candidate, value);
    const kept = { row, line: rowLine(row) };
    this.rows.set(candidate, kept);
    return kept;
  }
}

/** What was there in its order, without what left and with what entered. */
function merged(before: readonly Candidate[], { entered, left }: Changes<Candidate>): readonly Candidate[] {
  const come = [...entered].sort(byId);
  const all: Candidate[] = [];
  let next = 0;
  for (const candidate of before) {
    while (next < come.length && byId(come[next]!, candidate) < 0) all.push(come[next++]!);
    if (!left.has(candidate)) all.push(candidate);
  }
  return [...all, ...come.slice(next)];
}

/**
 * Without the subject: the buffer is training data, and whose it was is in the log, by outcomeId. Keys in their order, which
 * spares canonical JSON a copy of every row.
 */
function rowOf({ pair, stratum }: Candidate, value: number): BufferRow {
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
