/** An evaluation that a person wants on record: what a promotion by name may rest on. */
import type { EvaluationResult } from '@seamstream/evaluation';
import { type AdapterEvaluated, type ExecutorIdentity, encodeEvent, GENERATOR_SLOT } from '@seamstream/events';
import { newId, SeamError } from '@seamstream/kernel';
import { assertWouldBeBelieved } from '@seamstream/signatures';
import { type ReadingOptions, readLineage } from '../read-models/index.js';
import { evaluationBy } from './acts-on-adapters.decide.js';
import type { AdapterWorld } from './adapter-world.js';

type RecordingWorld = Pick<AdapterWorld, 'clock' | 'openLog' | 'openKeptLog' | 'signing'>;

/**
 * The digest of what shall be on record, where it can be put there.
 * @throws INVALID_INPUT for the base model; INVALID_CONFIGURATION without a key that is believed; LOG_READ_ONLY where nothing can be written
 */
export async function recordable(world: RecordingWorld, adapter: { readonly digest: string } | null): Promise<string> {
  if (adapter !== null) {
    assertWouldBeBelieved('AdapterEvaluated', await world.signing());
    await world.openLog('append');
    return adapter.digest;
  }
  throw new SeamError(
    'INVALID_INPUT',
    'Cannot record an evaluation: expected an adapter with --record, got the base model. Name one with --adapter.',
  );
}

/** Appends what was measured. @throws INVALID_INPUT before anything is recorded */
export async function recordEvaluation(
  world: RecordingWorld,
  by: string,
  measured: {
    readonly adapterDigest: string;
    readonly baseModelDigest: string;
    readonly problemSet: string;
    readonly result: EvaluationResult;
    readonly executor: ExecutorIdentity;
  },
  options: ReadingOptions,
): Promise<AdapterEvaluated> {
  const { adapterDigest, baseModelDigest } = measured;
  const { versions } = (await readLineage(await world.openKeptLog(), options)).answer;
  const version = versions.find((each) => each.adapterDigest === adapterDigest);
  const { parent = null, slot = GENERATOR_SLOT } = version ?? {};
  const event = evaluationBy(
    { by, at: world.clock.now(), messageId: newId() },
    { adapterDigest, slot, parent, baseModelDigest },
    measured,
  );
  const log = await world.openLog('append');
  await log.append([encodeEvent(event)]);
  return event;
}
