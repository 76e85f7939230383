/** The ends of a release's stages: by its plan, or by a person over it. What is promoted is promoted in the same append. */
import { deriveMeta, type EventOf, encodeEvent } from '@seamstream/events';
import { SeamError, shortId } from '@seamstream/kernel';
import { decisionDoubt, evidenceText, type Release, runningIn, type StageEnd, servedIn } from '@seamstream/release';
import { assertWouldBeBelieved } from '@seamstream/signatures';
import { mustCount, promotionBy } from '../adapters/acts-on-adapters.decide.js';
import type { ReadingOptions } from '../read-models/index.js';
import {
  decisionNow,
  evidenceOf,
  offsetsOf,
  type ReleaseFacts,
  type ReleaseWorld,
  ruledDecision,
} from './release-evidence.js';
import { findRelease, readFacts } from './release-status.js';

export interface DecidedStage {
  readonly release: Release;
  readonly decision: EventOf<'ReleaseDecided'>;
  readonly promotion: EventOf<'AdapterPromoted'> | null;
}

/**
 * Decides what the plans of running releases decide now; nothing where their stages continue. One call ends one stage of a release at most: the
 * next has no problem yet.
 * @throws CONFLICT where a promotion would not count, say because what is served is pinned: nothing is recorded then
 */
export async function decideReleases(world: ReleaseWorld, options: ReadingOptions): Promise<readonly DecidedStage[]> {
  assertWouldBeBelieved('ReleaseDecided', await world.signing());
  const facts = await readFacts(await world.openKeptLog(), options);
  const decided: DecidedStage[] = [];
  for (const slot of facts.progress.slots.keys()) {
    const release = runningIn(facts.progress, slot);
    const decision = release && ruledDecision(release, facts, world.clock.now());
    if (release === undefined || decision === null || decision === undefined) continue;
    const act = { by: release.event.plannedBy, reason: `release ${release.event.releaseId}: ${decision.reason}` };
    decided.push(await record(world, { release, decision, act, facts }));
  }
  return decided;
}

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
  const facts = await readFacts(await world.openKeptLog(), options);
  const release = findRelease([...facts.progress.releases.values()], meant);
  const { event, plan, stage } = release;
  const decision: EventOf<'ReleaseDecided'> = {
    type: 'ReleaseDecided',
    meta: deriveMeta(event.meta, {
      ...{ role: 'release override', index: stage, source: 'seam/cli' },
      ...{ occurredAt: world.clock.now(), sourceClass: 'user' },
    }),
    ...{ releaseId: event.releaseId, slot: event.slot, stage, decision: end, rule: 'a person decides over the rule' },
    evidence: evidenceText(plan, evidenceOf(release, facts), decisionNow(release, facts).figures),
    offsets: [...offsetsOf(facts)],
    ...{ decidedBy: by, reason, attestation: null },
  };
  return record(world, { release, decision, act: { by, reason }, facts });
}

interface Decided {
  readonly release: Release;
  readonly decision: EventOf<'ReleaseDecided'>;
  readonly act: { readonly by: string; readonly reason: string };
  readonly facts: ReleaseFacts;
}

async function record(world: ReleaseWorld, { release, decision, act, facts }: Decided): Promise<DecidedStage> {
  const { candidate, slot, releaseId } = release.event;
  const doubt = decisionDoubt(release, decision);
  if (doubt !== undefined)
    throw new SeamError('CONFLICT', `Cannot decide on release ${shortId(releaseId)}: ${doubt}. Nothing was recorded.`);
  let promotion: EventOf<'AdapterPromoted'> | null = null;
  if (decision.decision === 'promoted') {
    const own = servedIn(facts.progress.slots, slot);
    const published = own.published.find(({ adapterDigest }) => adapterDigest === candidate)!;
    const { messageId } = deriveMeta(decision.meta, {
      role: 'promoted',
      source: 'seam/release',
      occurredAt: decision.meta.occurredAt,
    });
    // Over the parent that the candidate was compared with: what is promoted meanwhile stays.
    promotion = {
      ...promotionBy({ ...act, at: decision.meta.occurredAt, messageId }, published, own),
      ...{ parent: release.event.parent, onlyOverParent: true },
    };
    mustCount(promotion, own);
  }
  const log = await world.openLog('append');
  await log.append([decision, ...(promotion === null ? [] : [promotion])].map(encodeEvent));
  return { release, decision, promotion };
}
