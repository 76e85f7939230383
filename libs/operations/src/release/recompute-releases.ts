/** Makes the decisions of releases again, from the records that they name, and compares them byte for byte. */
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, type OffsetRange } from '@seamstream/events';
import { isSeamError, SeamError } from '@seamstream/kernel';
import { readEvents } from '@seamstream/log-reader';
import { type KeptProjection, liftProjection, releaseProgressProjection } from '@seamstream/read-models';
import type { ReadingOptions } from '../read-models/index.js';
import { mutingAgain } from './guard-evidence.js';
import { type ReleaseFacts, type ReleaseWorld, ruledDecision } from './release-evidence.js';
import { readFacts } from './release-facts.js';
import { findRelease } from './release-status.js';

interface Recomputed {
  /** Whether the same bytes came out. */
  readonly isSame: boolean;
  /** How it differs, or why it cannot be made again; empty where it is the same. */
  readonly difference: string;
}

export interface RecomputedDecision extends Omit<Recomputed, 'isSame'> {
  readonly decision: EventOf<'ReleaseDecided'>;
  /** Null for a person's, which no rule makes again. */
  readonly isSame: boolean | null;
}

export interface RecomputedMuting extends Recomputed {
  readonly muting: EventOf<'DomainMuted'>;
}

/**
 * The decisions of a release that count, each made again.
 * @param meant as in findRelease
 * @throws NOT_FOUND, and the signal's reason when it aborts
 */
export async function recomputeReleases(
  world: Pick<ReleaseWorld, 'openKeptLog'>,
  meant: string,
  options: ReadingOptions,
): Promise<readonly RecomputedDecision[]> {
  const kept = await world.openKeptLog();
  const { progress } = await readFacts(kept, options);
  const { decisions } = findRelease([...progress.releases.values()], meant);
  const recomputed: RecomputedDecision[] = [];
  for (const decision of decisions)
    recomputed.push(
      decision.decidedBy === null
        ? { decision, ...(await decidedAgain(kept.log, decision, options)) }
        : { decision, isSame: null, difference: '' },
    );
  return recomputed;
}

function decidedAgain(
  log: EventLog,
  decision: EventOf<'ReleaseDecided'>,
  options: ReadingOptions,
): Promise<Recomputed> {
  return compared(log, decision, options, {
    make(facts) {
      const release = facts.progress.releases.get(decision.releaseId);
      return release === undefined ? null : ruledDecision(release, facts, decision.meta.occurredAt);
    },
    nothing: 'the stage continues',
    words: (made) => `${made.decision}, ${made.reason}`,
  });
}

/** The mutings of guards that are in force, each made again. @throws the signal's reason when it aborts */
export async function recomputeMutings(
  world: Pick<ReleaseWorld, 'openKeptLog'>,
  options: ReadingOptions,
): Promise<readonly RecomputedMuting[]> {
  const kept = await world.openKeptLog();
  const { guards } = (await readFacts(kept, options)).progress;
  const recomputed: RecomputedMuting[] = [];
  for (const { event: muting } of [...guards.guards.values()].flatMap(({ mutings }) => mutings))
    recomputed.push({ muting, ...(await mutedAgain(kept.log, muting, options)) });
  return recomputed;
}

function mutedAgain(log: EventLog, muting: EventOf<'DomainMuted'>, options: ReadingOptions): Promise<Recomputed> {
  return compared(log, muting, options, {
    make: (facts) => mutingAgain(muting, facts),
    nothing: 'the domain is not muted',
    words: ({ reason }) => reason,
  });
}

/** What the records that a decision names make of it, compared with what is on record. */
async function compared<E extends EventOf<'ReleaseDecided' | 'DomainMuted'>>(
  log: EventLog,
  recorded: E,
  options: ReadingOptions,
  again: {
    /** Null where nothing would be decided. */
    readonly make: (facts: ReleaseFacts) => E | null;
    readonly nothing: string;
    readonly words: (made: E) => string;
  },
): Promise<Recomputed> {
  try {
    const made = again.make(await factsAt(log, recorded.offsets, options));
    const isSame = made !== null && areSameBytes(made, recorded);
    const says = made === null ? again.nothing : again.words(made);
    return { isSame, difference: isSame ? '' : `from these records${made === null ? '' : ':'} ${says}` };
  } catch (error) {
    if (!isSeamError(error, 'NOT_FOUND')) throw error;
    return { isSame: false, difference: error.message };
  }
}

/** Who signed it is no part of what was decided. */
function areSameBytes<E extends EventOf<'ReleaseDecided' | 'DomainMuted'>>(made: E, recorded: E): boolean {
  const [own, other] = [made, recorded].map((each) => encodeEvent({ ...each, attestation: null }).value);
  return Buffer.compare(own!, other!) === 0;
}

/** Both read models of the records that a decision names, and of no others. */
async function factsAt(
  log: EventLog,
  offsets: readonly OffsetRange[],
  { signal, progress }: ReadingOptions,
): Promise<ReleaseFacts> {
  await checkStored(log, offsets);
  const bar = progress(offsets.reduce((sum, { from, to }) => sum + to - from, 0));
  const [lift, told] = [folding(liftProjection), folding(releaseProgressProjection)];
  try {
    for await (const { events, records } of readEvents(log, offsets, { undecodable: 'skip', signal })) {
      for (const { event, record } of events) for (const each of [lift, told]) each.take(event, record);
      bar.advance(records.length);
    }
  } finally {
    bar.stop();
  }
  return { lift: lift.answer(), progress: told.answer() };
}

type Take = Parameters<KeptProjection<object, unknown>['evolve']>;

function folding<State extends object, Answer>(projection: KeptProjection<State, Answer>) {
  let state = projection.initialState();
  return {
    take: (event: Take[1], position: Take[2]): void => {
      if (projection.topics.includes(position.topic)) state = projection.evolve(state, event, position);
    },
    answer: (): Answer => projection.read(state),
  };
}

/** @throws NOT_FOUND where the log does not have the records any more */
async function checkStored(log: EventLog, offsets: readonly OffsetRange[]): Promise<void> {
  for (const topic of new Set(offsets.map((each) => each.topic))) {
    const watermarks = await log.watermarks(topic);
    for (const { partition, from, to } of offsets.filter((each) => each.topic === topic)) {
      const held = watermarks.find((each) => each.partition === partition);
      if (held === undefined || held.low > from || held.high < to)
        throw new SeamError(
          'NOT_FOUND',
          `Cannot make a decision again: expected the records ${from} to ${to} of ${topic}/${partition}, got ${held === undefined ? 'no such partition' : `those from ${held.low} to ${held.high}`}. Copy the log before its retention takes them (seam replay copy).`,
        );
    }
  }
}
