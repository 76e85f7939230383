/** What a person decides about what is served: promote, roll back, pin, unpin. Each is an event that says who, when and why. */
import { encodeEvent } from '@seamstream/events';
import { isSeamError, messageOf, newId, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { sameFingerprint } from '@seamstream/language-model';
import type { AdapterLineage, AdapterVersion } from '@seamstream/read-models';
import type { Decision } from '@seamstream/release';
import { decodeServed, weightsOf } from '@seamstream/rollout';
import { assertWouldBeBelieved } from '@seamstream/signatures';
import { type ReadingOptions, readServing, type Serving } from '../read-models/index.js';
import { type Act, mustCount, pinBy, promotionBy, rollbackBy, unpinBy } from './acts-on-adapters.decide.js';
import type { AdapterWorld } from './adapter-world.js';
import { digestMeant, findAdapter } from './find-adapter.js';
import { fingerprintText, openServed } from './published-adapter.js';

/** Words for adapters are `base`, `served`, or the first digits of a digest. */
export type AdapterDecision =
  | { readonly act: 'promote'; readonly adapter: string }
  /** To the last good one where nothing is named. */
  | { readonly act: 'rollBack'; readonly to?: string | undefined }
  | { readonly act: 'pin'; readonly adapter: string }
  | { readonly act: 'unpin' };

export interface DecisionResult {
  readonly event: Decision['event'];
  /** Its result: another decision may be earlier in the log. Null where the trusted keys do not believe it. */
  readonly decision: Decision | null;
  /** After it. */
  readonly lineage: AdapterLineage;
}

const EVENT_OF = {
  promote: 'AdapterPromoted',
  rollBack: 'AdapterRolledBack',
  pin: 'AdapterPinned',
  unpin: 'AdapterUnpinned',
} as const;

/**
 * Records what a person decided, after everything that can be checked was.
 * @throws CONFLICT where it would change nothing, NOT_FOUND, INVALID_INPUT, ADAPTER_INVALID, INVALID_CONFIGURATION: nothing is recorded then
 */
export async function decideOnAdapter(
  world: AdapterWorld,
  decision: AdapterDecision,
  { by, reason }: { readonly by: string; readonly reason: string },
  options: ReadingOptions,
): Promise<DecisionResult> {
  assertWouldBeBelieved(EVENT_OF[decision.act], await world.signing());
  const serving = await readServing(await world.openKeptLog(), options);
  const event = eventOf(decision, serving, { by, reason, at: world.clock.now(), messageId: newId() });
  mustCount(event, serving.state);
  await check(world, event, serving.lineage);
  const log = await world.openLog('append');
  await log.append([encodeEvent(event)]);
  const { state, lineage } = await readServing(await world.openKeptLog(), options);
  const found = state.decisions.find((each) => each.event.meta.messageId === event.meta.messageId);
  return { event, decision: found ?? null, lineage };
}

function eventOf(decision: AdapterDecision, { lineage, state }: Serving, act: Act): Decision['event'] {
  switch (decision.act) {
    case 'promote':
      return promotionBy(act, findAdapter(lineage, decision.adapter), state);
    case 'rollBack':
      return rollbackBy(act, decision.to === undefined ? undefined : digestMeant(lineage, decision.to), state);
    case 'pin':
      return pinBy(act, digestMeant(lineage, decision.adapter));
    case 'unpin':
      return unpinBy(act, state);
  }
}

/** Whether what it makes generators serve can be served. */
async function check(world: AdapterWorld, event: Decision['event'], { versions }: AdapterLineage): Promise<void> {
  const version = (digest: string | null) => versions.find(({ adapterDigest }) => adapterDigest === digest);
  if (event.type === 'AdapterPromoted') await prove(world, version(event.adapterDigest)!);
  if (event.type === 'AdapterRolledBack') {
    const target = version(event.to);
    // Generators prove it on their model as they swap. A rollback must not wait until a model is loaded here as well.
    if (target !== undefined) await open(world, target, (version(event.adapterDigest) ?? target).baseModelDigest);
  }
}

/** As a generator does before it serves: whole, of this base model, and answering as it was published. */
async function prove(world: AdapterWorld, version: AdapterVersion): Promise<void> {
  const name = shortId(version.adapterDigest);
  const { served, base } = await openServed(world, version).catch(missing(version));
  const measured = await base.fingerprint(weightsOf(served) ?? undefined);
  if (sameFingerprint(measured, version.fingerprint)) return;
  throw new SeamError(
    'ADAPTER_INVALID',
    `Cannot promote adapter ${name}: expected the answers to the probe that it was published with (${fingerprintText(version.fingerprint)}), got ${fingerprintText(measured)}. Compare the model folders here and where it was published.`,
    { details: { adapterDigest: version.adapterDigest } },
  );
}

/** Whole, and for the base model. @throws NOT_FOUND, ADAPTER_INVALID */
async function open(world: AdapterWorld, version: AdapterVersion, baseModelDigest: string): Promise<void> {
  const objects = await world.openObjects();
  const body = await objects.get(version.key).catch(missing(version));
  decodeServed(version.key, body, { digest: version.adapterDigest, baseModelDigest });
}

function missing({ adapterDigest, key }: AdapterVersion): (error: unknown) => never {
  return (error) => {
    if (!isSeamError(error, 'OBJECT_NOT_FOUND')) throw error;
    throw new SeamError(
      'NOT_FOUND',
      `Cannot serve adapter ${shortId(adapterDigest)}: expected its object ${onOneLine(key)}, got none (${messageOf(error)}). Choose another adapter, or import it again.`,
      { details: { adapterDigest, key }, cause: error },
    );
  };
}
