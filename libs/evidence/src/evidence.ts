/**
 * Looks up in the log what results rest on. Experiences and our own problems have the problem's id for their key, so the partition is known;
 * and they were written in about the order in which their results come. So both topics are read along, each record once: a result
 * finds its own a little behind or before the place where the one before found its.
 *
 *   seam.experiences/2:  … │ read before │ remembered, bounded (memory.ts) │ not read yet …
 *                                               └ the last that bore a result out: read on, but not far beyond it
 *
 * Most results are honest, and their bytes say so (bears-out.decide.ts): nothing is decoded for them, nothing is kept of them. All others
 * are looked at together: what they rest on is decoded, and {@link doubtOf} judges.
 *
 * An experience has one result, so it is forgotten once that has arrived: objects that live long make garbage collection slow. That its
 * candidate was used is remembered (first-uses.ts): of two experiences under one id the first in the log counts, and a request for
 * another one is answered from the log. A record that was forgotten, or never read here, is found by a directory of keys
 * (key-directory.ts). It is made when the first result misses its experience or problem. Honest results do not, so it costs nothing as
 * long as there are no forgeries. From then on each forged result costs a separate look-up, and honest ones after it none: only what is
 * borne out moves reading on. What is held is bounded for any log: it is counted, and the oldest is forgotten.
 */
import { randomInt } from 'node:crypto';

import type { EventLog, RecordPosition } from '@seamstream/event-log';
import { type SeamEvent, TOPIC } from '@seamstream/events';
import { EncodedRecords } from './bears-out.decide.js';
import { type Doubt, doubtOf, type Experience, isResult, publicationOfUnwritten, type Result } from './doubt.decide.js';
import { FirstUses } from './first-uses.js';
import { type Kept, KeptExperience, KeptProblem, Windows } from './kept-records.js';
import { KnownAdapters } from './known-adapters.js';
import { Memory } from './memory.js';
import { type Found, putInto, type Reading, type Wanted, wantedOf } from './reading.js';
import { Readings, type Search } from './readings.js';

export interface PlacedEvent {
  readonly event: SeamEvent;
  readonly position: RecordPosition;
  /** What the event was decoded from, where that is at hand: bytes are compared faster than values. */
  readonly value?: Uint8Array | null;
}

/** A result of an experience. */
type Executed = Exclude<Result, { type: 'ProblemExpired' }>;

/** A result to be judged. */
interface Case {
  readonly event: Result;
  readonly index: number;
  readonly value: Uint8Array | null;
  /** Once it has been taken from what is remembered. */
  experience: KeptExperience | undefined;
}

/** Experiences that cases of one batch have taken from memory and not used, by problem and id. */
type Held = Map<string, KeptExperience>;

/** What a look at a case leads to. */
const BORNE_OUT = 'borne out';
const UNCLEAR = 'unclear';
/** Something that it rests on is not at hand. */
const MISSING = 'missing';
type Look = typeof BORNE_OUT | typeof UNCLEAR | typeof MISSING;

export class Evidence {
  private readonly windows = new Windows();
  private readonly uses: FirstUses;
  private readonly encoded = new EncodedRecords(this.windows);
  private readonly experiences: Readings<KeptExperience>;
  private readonly problems: Readings<KeptProblem>;
  private readonly adapters: KnownAdapters;

  /**
   * @param from by topic/partition: where reading begins; elsewhere at the beginning
   * @param memory what may be remembered
   */
  constructor(
    log: EventLog,
    private readonly from: ReadonlyMap<string, number> = new Map(),
    memory = new Memory(),
  ) {
    const { windows } = this;
    const common = { from, memory, salt: randomInt(2 ** 32) };
    this.adapters = new KnownAdapters(log);
    this.experiences = new Readings(log, TOPIC.experiences, {
      keep: (record) => new KeptExperience(record, windows),
      forgets: true,
      ...common,
    });
    this.problems = new Readings(log, TOPIC.problems, {
      keep: (record) => new KeptProblem(record, windows),
      forgets: false,
      ...common,
    });
    this.uses = new FirstUses((partition) => this.problems.began(partition));
  }

  /** By topic/partition: where reading stands, to begin there after a restart. */
  places(): ReadonlyMap<string, number> {
    return new Map([...this.from, ...this.experiences.places(), ...this.problems.places()]);
  }

  /** Why results do not count, by their index in the list; those that do, and events that are no results, have none. */
  async doubts(events: readonly PlacedEvent[]): Promise<ReadonlyMap<number, Doubt>> {
    const cases: Case[] = [];
    for (const [index, { event, value = null }] of events.entries())
      if (isResult(event)) cases.push({ event, index, value, experience: undefined });
    const held: Held = new Map();
    const unclear = await this.notBorneOut(cases, held);
    if (unclear.length === 0) return new Map();
    const { doubts: nearest, isCertain } = await this.judge(unclear, 'find', held);
    // The log may have two under one id: the first counts, wherever reading began and regardless of what was forgotten meanwhile.
    const missing = new Map([...nearest].filter(([, doubt]) => isMissing(doubt)));
    const uncertain = unclear.filter(({ index }) => !missing.has(index) && !isCertain.has(index));
    const { doubts: first } = await this.judge(uncertain, 'findFirst', new Map());
    // An experience whose result was refused waits for its own.
    for (const { event, index, experience } of unclear)
      if (experience !== undefined && event.type !== 'ProblemExpired' && !isCertain.has(index))
        this.experiences.of(event.problem.problemId).giveBack(experience);
    return new Map([...missing, ...first]);
  }

  /** The cases that bytes at hand do not clear, after reading on as far as any of them misses something. */
  private async notBorneOut(cases: readonly Case[], held: Held): Promise<readonly Case[]> {
    await this.experiences.meet();
    await this.problems.meet();
    const unclear: Case[] = [];
    let waiting = cases;
    while (waiting.length > 0) {
      const missing: Case[] = [];
      const readings = new Set<Reading<Kept>>();
      for (const each of waiting) {
        const found = this.look(each, held, readings);
        if (found === UNCLEAR) unclear.push(each);
        else if (found === MISSING) missing.push(each);
      }
      let isMore = false;
      for (const reading of readings) if (await reading.readAhead()) isMore = true;
      if (!isMore) return unclear.concat(missing);
      waiting = missing;
    }
    return unclear;
  }

  /** @param readings gets those that have to read on before the next look */
  private look(each: Case, held: Held, readings: Set<Reading<Kept>>): Look {
    const { event } = each;
    if (event.type === 'ProblemExpired') return UNCLEAR;
    const { experienceId, problem } = event;
    const { problemId } = problem;
    const experiences = this.experiences.of(problemId);
    // Nearly always nothing is held, and then no experience needs a name.
    const known = held.size === 0 ? undefined : held.get(nameOf(event));
    each.experience ??= known ?? experiences.take(problemId, (kept) => kept.has(experienceId));
    const { experience } = each;
    if (experience === undefined) {
      readings.add(experiences);
      // Its problem is wanted next. Reading both now saves walking over the experience once for each.
      const problems = this.problems.of(problemId);
      if (!problems.remembers(problemId)) readings.add(problems);
      return MISSING;
    }
    const found = this.lookAt(each, experience, readings);
    // The next result that asks for it must not find another one under its id.
    if (found !== BORNE_OUT) held.set(nameOf(event), experience);
    return found;
  }

  private lookAt({ event, value }: Case, experience: KeptExperience, readings: Set<Reading<Kept>>): Look {
    const { problemId } = event.problem;
    if (event.type !== 'OutcomeRecorded' || value === null || !experience.isShown()) return UNCLEAR;
    const { windows } = this;
    const { causationId } = windows.experienceMeta;
    const problems = this.problems.of(problemId);
    const published = problems.take(
      problemId,
      ({ id }) => id !== undefined && windows.experience.says(causationId, id),
    );
    if (published === undefined) {
      readings.add(problems);
      return MISSING;
    }
    const isBorneOut =
      this.encoded.bearOut(event, value, { experience, problem: published }, this.adapters.basesOf) &&
      this.claim(event, published);
    if (!isBorneOut) return UNCLEAR;
    this.moveOn(event, experience, published);
    return BORNE_OUT;
  }

  /** Whether no other experience can stand under the id before the one that was found. */
  private claim(event: Executed, { record }: KeptProblem): boolean {
    const { problemId } = event.problem;
    return (
      !this.experiences.of(problemId).mayHaveForgotten(problemId) &&
      this.uses.claim(problemId, event.groupId, event.candidateIndex, record)
    );
  }

  private moveOn(
    { problem: { problemId } }: Result,
    experience: KeptExperience | undefined,
    problem: KeptProblem,
  ): void {
    if (experience !== undefined) this.experiences.of(problemId).used(experience);
    const { partition } = problem.record;
    this.problems.in(partition).used(problem);
  }

  /**
   * Why cases do not count, after looking everywhere; and which of those that count rest on an experience that is known to be the first
   * under its id.
   * @param held what was taken from memory for one of them may be what another one is about as well
   */
  private async judge(
    cases: readonly Case[],
    how: Search,
    held: Held,
  ): Promise<{ readonly doubts: Map<number, Doubt>; readonly isCertain: ReadonlySet<number> }> {
    const executed = cases.map(({ event }) => event).filter((event) => event.type !== 'ProblemExpired');
    const wanted = wantedOf(executed.map(({ problem, experienceId }) => [problem.problemId, experienceId]));
    const experiences = takenFor(cases, held);
    await this.experiences.find(wanted, experiences, how);
    const rests = cases.map(({ event, index, value }) => {
      if (event.type === 'ProblemExpired')
        return { event, index, value, experience: undefined, cause: event.meta.causationId };
      const experience = experiences.get(event.problem.problemId)?.get(event.experienceId);
      // A gateway's request may have ended without one: what was published is looked for all the same.
      const cause = publicationOfUnwritten(event) ?? experience?.causationId ?? null;
      return { event, index, value, experience, cause };
    });
    const caused = rests.filter(({ cause }) => cause !== null);
    const problems: Found<KeptProblem> = new Map();
    await this.findProblems(
      wantedOf(caused.map(({ event, cause }) => [event.problem.problemId, cause!])),
      problems,
      how,
    );
    const isCertain = new Set<number>();
    const judged = rests.map((rest) => ({
      ...rest,
      problem: rest.cause === null ? undefined : problems.get(rest.event.problem.problemId)?.get(rest.cause),
    }));
    const decoded = judged.flatMap(({ event, index, value, experience, problem }) => {
      const isClear =
        event.type === 'OutcomeRecorded' &&
        value !== null &&
        experience !== undefined &&
        problem !== undefined &&
        this.encoded.bearOut(event, value, { experience, problem }, this.adapters.basesOf);
      return isClear ? [] : [{ event, index, experience: experience?.event, published: problem?.event }];
    });
    await this.adapters.meet(decoded.flatMap(({ experience }) => adapterOf(experience)));
    const doubts = new Map<number, Doubt>();
    for (const { event, index, experience, published } of decoded) {
      const why = doubtOf(event, experience, published, this.adapters.basesOf);
      if (why !== undefined) doubts.set(index, why);
    }
    for (const { event, index, experience, problem } of judged) {
      if (doubts.has(index) || problem === undefined) continue;
      // From before reading began its experience may have been used then: that is a part of the claim.
      const isFirst = event.type === 'ProblemExpired' || this.claim(event, problem) || experience?.isFirst === true;
      if (isFirst) isCertain.add(index);
      if (isFirst || how === 'findFirst') this.moveOn(event, experience, problem);
    }
    return { doubts, isCertain };
  }

  /** Experiences are ours. A problem may be another client's, under no key or its own key, and is then anywhere else. */
  private async findProblems(wanted: Wanted, found: Found<KeptProblem>, how: Search): Promise<void> {
    await this.problems.findAnywhere(wanted, found, how);
  }
}

function isMissing({ reason }: Doubt): boolean {
  return reason === 'experience_missing' || reason === 'problem_missing';
}

function adapterOf(
  experience: Experience | undefined,
): readonly { readonly adapterDigest: string; readonly baseModelDigest: string }[] {
  if (experience?.type !== 'ExperienceGenerated' || experience.adapterDigest === null) return [];
  return [{ adapterDigest: experience.adapterDigest, baseModelDigest: experience.baseModelDigest }];
}

/** Of the experience that a result is about, in {@link Held}. */
function nameOf({ problem, experienceId }: Executed): string {
  return `${problem.problemId}/${experienceId}`;
}

/** What cases are about among what was taken from memory. */
function takenFor(cases: readonly Case[], held: Held): Found<KeptExperience> {
  const found: Found<KeptExperience> = new Map();
  for (const { event } of cases) {
    if (event.type === 'ProblemExpired') continue;
    const { problemId } = event.problem;
    const experience = held.get(nameOf(event));
    if (experience !== undefined) putInto(found, problemId, event.experienceId, experience);
  }
  return found;
}
