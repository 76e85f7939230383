/** A person declares how an adapter is released. */
import { type EventOf, encodeEvent, GENERATOR_SLOT, originMeta } from '@seamstream/events';
import { isLibraryKey } from '@seamstream/experience-library';
import { newId, SeamError, shortId } from '@seamstream/kernel';
import {
  checkedPlan,
  DEFAULT_RELEASE_PLAN,
  evaluationsOf,
  groundsOf,
  planDoubt,
  planText,
  servedIn,
} from '@seamstream/release';
import { assertWouldBeBelieved } from '@seamstream/signatures';
import { type AdapterWorld, assertSaysSomething, findAdapter, openWhole } from '../adapters/index.js';
import { type ReadingOptions, readLineage } from '../read-models/index.js';
import { centreOf, type ReleaseWorld, validationCounts } from './release-evidence.js';
import { readFacts } from './release-facts.js';

export interface PlanRequest {
  /** First digits of the adapter's digest. */
  readonly adapter: string;
  /** What differs from the plan that is taken otherwise. */
  readonly changes: Readonly<Record<string, unknown>>;
  readonly by: string;
  readonly reason: string;
}

/**
 * Appends the plan, after everything that can be checked was.
 * @throws NOT_FOUND, ADAPTER_INVALID for a library that says nothing, INVALID_INPUT for a plan that is not valid or an adapter without a measurement,
 * CONFLICT where it would not count
 */
export async function planRelease(
  world: ReleaseWorld & Pick<AdapterWorld, 'openObjects'>,
  { adapter, changes, by, reason }: PlanRequest,
  options: ReadingOptions,
): Promise<EventOf<'ReleasePlanned'>> {
  // 1. What it is about.
  assertWouldBeBelieved('ReleasePlanned', await world.signing());
  const kept = await world.openKeptLog();
  const found = findAdapter((await readLineage(kept, options)).answer, adapter);
  const candidate = found.adapterDigest;
  if (isLibraryKey(found.key)) assertSaysSomething(await openWhole(world, found), 'release');
  const { progress } = await readFacts(kept, options);
  const own = servedIn(progress.slots, GENERATOR_SLOT);
  // 2. Whether it can end: a promotion rests on an evaluation.
  const evaluation = evaluationsOf(candidate, groundsOf(own)).at(-1);
  if (evaluation === undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot plan a release of adapter ${shortId(candidate)}: expected an evaluation of it on record, got none. Measure it (seam eval FILE --adapter ${shortId(candidate)} --record --by NAME).`,
    );
  const centre = centreOf(evaluation.parentSuccess ?? evaluation.success);
  const plan = checkedPlan({ ...DEFAULT_RELEASE_PLAN, centre, ...changes });
  const parent = own.served?.adapterDigest ?? null;
  // 3. Say it.
  const releaseId = newId();
  const meta = originMeta({
    ...{ messageId: newId(), correlationId: candidate, source: 'seam/cli' },
    ...{ occurredAt: world.clock.now(), sourceClass: 'user' },
  });
  const event: EventOf<'ReleasePlanned'> = {
    ...{ type: 'ReleasePlanned', meta, releaseId, slot: GENERATOR_SLOT, candidate },
    ...{ parent, plan: planText(plan), plannedBy: by, reason, attestation: null },
  };
  const doubt = planDoubt(progress, event, own);
  if (doubt !== undefined)
    throw new SeamError(
      'CONFLICT',
      `Cannot plan a release of adapter ${shortId(candidate)}: ${doubt}. Nothing was recorded.`,
    );
  const needsPairs = plan.stages.some(({ kind }) => kind === 'validation');
  if (needsPairs && validationCounts({ candidate, parent, slot: GENERATOR_SLOT }, progress) === null)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot plan a release of adapter ${shortId(candidate)} with a validation stage: expected an evaluation of it and its parent on the same problems, got none. Leave the stage out (--plan FILE).`,
    );
  await (await world.openLog('append')).append([encodeEvent(event)]);
  return event;
}
