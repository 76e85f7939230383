/** The ends of a release's stages: by its plan, or by a person over it. What is promoted is promoted in the same append. And what guards mute. */
import { deriveMeta, type EventOf } from '@seamstream/events';
import { isSeamError, SeamError, shortId } from '@seamstream/kernel';
import { decisionDoubt, type Release, runningIn, type StageEnd, servedIn } from '@seamstream/release';
import { assertWouldBeBelieved } from '@seamstream/signatures';
import { mustCount, promotionBy } from '../adapters/acts-on-adapters.decide.js';
import type { ReadingOptions } from '../read-models/index.js';
import { dueMutings } from './guard-evidence.js';
import { holdDecisions } from './hold-decisions.js';
import { personsDecision, type ReleaseFacts, type ReleaseWorld, ruledDecision, SOURCE } from './release-evidence.js';
import { ReleaseFactsReader, readFacts } from './release-facts.js';
import { findRelease } from './release-status.js';

export interface DecidedStage {
  readonly release: Release;
  readonly decision: EventOf<'ReleaseDecided'>;
  readonly promotion: EventOf<'AdapterPromoted'> | null;
}

/** A stage that its plan ends now, and that cannot end. */
export interface HinderedStage {
  readonly release: Release;
  readonly error: SeamError;
}

/** What one look came to. */
export interface DecisionRound {
  readonly decided: readonly DecidedStage[];
  /** Nothing was recorded of these: say a promotion would not count, because what is served is pinned. */
  readonly hindered: readonly HinderedStage[];
  /** Domains in which what is served does harm, as guards found now. */
  readonly muted: readonly EventOf<'DomainMuted'>[];
}

/**
 * Decides what the plans of running releases decide now; nothing where their stages continue. One call ends one stage of a release at most: the
 * next has no problem yet. Guards mute at the same time. Each slot is decided on by itself. Any number of processes may call it: a stage is decided once.
 * @param reader of a caller that looks again and again
 */
export async function decideReleases(
  world: ReleaseWorld,
  options: ReadingOptions,
  reader?: ReleaseFactsReader,
): Promise<DecisionRound> {
  assertWouldBeBelieved('ReleaseDecided', await world.signing());
  const own = reader ?? new ReleaseFactsReader(await world.openKeptLog());
  try {
    // 1. Without a release and a guard no result is read.
    const { slots, guards, ...releases } = await own.progress(options);
    const isTried = [...slots.keys()].some((slot) => runningIn(releases, slot) !== undefined);
    if (!isTried && guards.guards.size === 0) return NOTHING;
    // 2. Most looks decide nothing, and claim nothing.
    const ahead = dueIn(await own.facts(options), world.clock.now());
    if (ahead.decided.length + ahead.muted.length === 0) return ahead;
    // 3. On what the log holds when no other process records any more.
    return await holdDecisions(await world.openLog('append'), async (record) => {
      const due = dueIn(await own.facts(options), world.clock.now());
      const events = [...due.decided.flatMap(eventsOf), ...due.muted];
      if (events.length > 0) await record(events);
      return due;
    });
  } finally {
    if (reader === undefined) await own.close();
  }
}

const NOTHING: DecisionRound = { decided: [], hindered: [], muted: [] };

/**
 * Ends a stage as a person says, over the rule.
 * @throws NOT_FOUND, CONFLICT where it would not count: nothing is recorded then
 */
export async function overrideRelease(
  world: ReleaseWorld,
  {
    meant,
    end,
    by,
    reason,
  }: { readonly meant: string; readonly end: StageEnd; readonly by: string; readonly reason: string },
  options: ReadingOptions,
): Promise<DecidedStage> {
  assertWouldBeBelieved('ReleaseDecided', await world.signing());
  const kept = await world.openKeptLog();
  return holdDecisions(await world.openLog('append'), async (record) => {
    const facts = await readFacts(kept, options);
    const release = findRelease([...facts.progress.releases.values()], meant);
    const decision = personsDecision(release, facts, { end, by, reason, at: world.clock.now() });
    const decided = decidedStage(release, decision, { by, reason }, facts);
    await record(eventsOf(decided));
    return decided;
  });
}

function dueIn(facts: ReleaseFacts, at: number): DecisionRound {
  const [decided, hindered]: [DecidedStage[], HinderedStage[]] = [[], []];
  for (const slot of facts.progress.slots.keys()) {
    const release = runningIn(facts.progress, slot);
    if (release === undefined) continue;
    try {
      const decision = ruledDecision(release, facts, at);
      if (decision === null) continue;
      const act = { by: release.event.plannedBy, reason: `release ${release.event.releaseId}: ${decision.reason}` };
      decided.push(decidedStage(release, decision, act, facts));
    } catch (error) {
      // One slot must not keep the others from their decisions, of which one may be a rollback.
      if (!isSeamError(error)) throw error;
      hindered.push({ release, error });
    }
  }
  return { decided, hindered, muted: dueMutings(facts, at) };
}

const eventsOf = ({ decision, promotion }: DecidedStage) => [decision, ...(promotion === null ? [] : [promotion])];

/** @throws CONFLICT where the decision, or the promotion that follows from it, would not count */
function decidedStage(
  release: Release,
  decision: EventOf<'ReleaseDecided'>,
  act: { readonly by: string; readonly reason: string },
  { progress }: ReleaseFacts,
): DecidedStage {
  const { candidate, slot, releaseId, parent } = release.event;
  const doubt = decisionDoubt(release, decision);
  if (doubt !== undefined)
    throw new SeamError('CONFLICT', `Cannot decide on release ${shortId(releaseId)}: ${doubt}. Nothing was recorded.`);
  if (decision.decision !== 'promoted') return { release, decision, promotion: null };
  const own = servedIn(progress.slots, slot);
  const published = own.published.find(({ adapterDigest }) => adapterDigest === candidate)!;
  const at = decision.meta.occurredAt;
  const { messageId } = deriveMeta(decision.meta, { role: 'promoted', source: SOURCE, occurredAt: at });
  // Over the parent that the candidate was compared with: what is promoted meanwhile stays.
  const promotion = {
    ...promotionBy({ ...act, at, messageId }, published, own),
    ...{ parent, onlyOverParent: true },
  };
  mustCount(promotion, own);
  return { release, decision, promotion };
}
