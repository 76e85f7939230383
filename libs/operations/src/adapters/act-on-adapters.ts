/** What a person decides about what is served: promote, roll back, pin, unpin. Each is an event that says who, when and why. */
import { newId } from '@seamstream/kernel';
import type { AdapterLineage } from '@seamstream/read-models';
import { type Decision, runningIn, type ServedAdapterState, servedIn } from '@seamstream/release';
import { assertWouldBeBelieved } from '@seamstream/signatures';
import { type ReadingOptions, readServing } from '../read-models/index.js';
import { type EndedRelease, endOfRunning } from '../release/end-running.decide.js';
import { holdDecisions } from '../release/hold-decisions.js';
import { ReleaseFactsReader } from '../release/release-facts.js';
import { type Act, mustCount, pinBy, promotionBy, rollbackBy, unpinBy } from './acts-on-adapters.decide.js';
import type { AdapterWorld } from './adapter-world.js';
import { BASE, digestMeant, findAdapter, SERVED } from './find-adapter.js';
import { openWhole, proveArtefact } from './prove-artefact.js';
import { slotMeant } from './slot-meant.decide.js';

/** Words for adapters are `base`, `served`, or the first digits of a digest. Without a slot it is that of the adapter that is named. */
export type AdapterDecision = {
  readonly slot?: string | undefined;
} /** `team`: the file that says where the base models of a team's agents are. */ & (
  | { readonly act: 'promote'; readonly adapter: string; readonly team?: string | undefined }
  /** To the last good one where nothing is named. */
  | { readonly act: 'rollBack'; readonly to?: string | undefined }
  | { readonly act: 'pin'; readonly adapter: string }
  | { readonly act: 'unpin' }
);

export interface DecisionResult {
  readonly event: Decision['event'];
  /** Its result: another decision may be earlier in the log. Null where the trusted keys do not believe it. */
  readonly decision: Decision | null;
  /** What the slot is served with after it; null is the base model. */
  readonly served: string | null;
  /** What holds it. */
  readonly pin: AdapterLineage['pin'];
  /** The release that it ended; null where none was tried in the slot. */
  readonly ended: EndedRelease | null;
}

const EVENT_OF = {
  promote: 'AdapterPromoted',
  rollBack: 'AdapterRolledBack',
  pin: 'AdapterPinned',
  unpin: 'AdapterUnpinned',
} as const;

/**
 * Records what a person decided, after everything that can be checked was. A release that is tried in the slot ends with it, in the same append.
 * @throws CONFLICT where it would change nothing, NOT_FOUND, INVALID_INPUT, ADAPTER_INVALID, INVALID_CONFIGURATION: nothing is recorded then
 */
export async function decideOnAdapter(
  world: AdapterWorld,
  decision: AdapterDecision,
  { by, reason }: { readonly by: string; readonly reason: string },
  options: ReadingOptions,
): Promise<DecisionResult> {
  assertWouldBeBelieved(EVENT_OF[decision.act], await world.signing());
  const kept = await world.openKeptLog();
  // 1. What is meant, and whether it can be served: that may take minutes.
  const { lineage, slots } = await readServing(kept, options);
  const state = slotMeant(slots, { named: decision.slot, adapterDigest: digestIn(decision, lineage) });
  const act = { by, reason, at: world.clock.now(), messageId: newId() };
  const event = eventOf(decision, { ...lineage, served: state.served?.adapterDigest ?? null }, state, act);
  mustCount(event, state);
  await check(world, event, state, 'team' in decision ? decision.team : undefined);
  // 2. Whether it still counts, and what it ends: on what the log holds when no other decision is recorded any more.
  const reader = new ReleaseFactsReader(kept);
  let ended: EndedRelease | null = null;
  try {
    await holdDecisions(await world.openLog('append'), async (record) => {
      const progress = await reader.progress(options);
      mustCount(event, servedIn(progress.slots, event.slot));
      const isTried = runningIn(progress, event.slot) !== undefined;
      ended = isTried ? endOfRunning(event, await reader.facts(options), act) : null;
      await record([...(ended === null ? [] : [ended.decision]), event]);
    });
  } finally {
    await reader.close();
  }
  // 3. What became of it.
  const after = servedIn((await readServing(kept, options)).slots, state.slot);
  const found = after.decisions.find((each) => each.event.meta.messageId === event.meta.messageId);
  const served = after.served?.adapterDigest ?? null;
  return { event, decision: found ?? null, served, pin: pinOf(after), ended };
}

/** Of an adapter that the decision names by its digits. */
function digestIn(decision: AdapterDecision, lineage: AdapterLineage): string | undefined {
  const word = 'adapter' in decision ? decision.adapter : 'to' in decision ? decision.to : undefined;
  return word === undefined || word === BASE || word === SERVED ? undefined : findAdapter(lineage, word).adapterDigest;
}

function eventOf(
  decision: AdapterDecision,
  lineage: AdapterLineage,
  state: ServedAdapterState,
  act: Act,
): Decision['event'] {
  switch (decision.act) {
    case 'promote': {
      const { adapterDigest } = findAdapter(lineage, decision.adapter);
      return promotionBy(act, state.published.find((each) => each.adapterDigest === adapterDigest)!, state);
    }
    case 'rollBack':
      return rollbackBy(act, decision.to === undefined ? undefined : digestMeant(lineage, decision.to), state);
    case 'pin':
      return pinBy(act, digestMeant(lineage, decision.adapter), state);
    case 'unpin':
      return unpinBy(act, state);
  }
}

function pinOf({ pin }: ServedAdapterState): AdapterLineage['pin'] {
  return pin && { adapterDigest: pin.adapterDigest, by: pin.pinnedBy, at: pin.meta.occurredAt, reason: pin.reason };
}

/** Whether what it makes a slot be served with can be served. */
async function check(
  world: AdapterWorld,
  event: Decision['event'],
  state: ServedAdapterState,
  teamFile: string | undefined,
): Promise<void> {
  const published = (digest: string | null) => state.published.find(({ adapterDigest }) => adapterDigest === digest);
  if (event.type === 'AdapterPromoted') await proveArtefact(world, published(event.adapterDigest)!, teamFile);
  if (event.type === 'AdapterRolledBack') {
    const target = published(event.to);
    // The server proves it on its model as it swaps. A rollback must not wait until a model is loaded here as well.
    const { baseModelDigest } = published(event.adapterDigest) ?? target ?? {};
    if (target !== undefined) await openWhole(world, { ...target, baseModelDigest: baseModelDigest! });
  }
}
