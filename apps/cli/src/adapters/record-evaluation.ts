/** An evaluation that a person wants on record: what a promotion by name may rest on. */

import type { EvaluationArm, EvaluationResult } from '@seamstream/evaluation';
import type { AdapterEvaluated, ExecutorIdentity } from '@seamstream/events';
import { encodeEvent } from '@seamstream/events';
import { newId, SeamError } from '@seamstream/kernel';
import { assertWouldBeBelieved } from '@seamstream/signatures';
import { checkWords } from '../command-options.js';
import type { CommandRuntime } from '../command-runtime.js';
import { evaluationBy } from './acts-on-adapters.decide.js';
import { readLineage } from './read-lineage.js';

export interface RecordOptions {
  readonly record?: true;
  readonly by?: string;
}

/**
 * What can be known before hours of measuring.
 * @throws INVALID_INPUT where only one of --record and --by is given, answers are drawn, or the adapter is not among the arms
 */
export function checkRecording(
  { record, by }: RecordOptions,
  { samples, arms }: { readonly samples: number; readonly arms: readonly EvaluationArm[] },
): void {
  const refuse = (expected: string, got: string, remedy: string): never => {
    throw new SeamError('INVALID_INPUT', `Evaluating: expected ${expected}, got ${got}. ${remedy}.`);
  };
  if (record === undefined) {
    if (by !== undefined) refuse('--record beside --by', 'none', 'Add --record, or leave --by out');
    return;
  }
  if (by === undefined) return refuse('--by NAME beside --record', 'none', 'Say who measures');
  checkWords('--by', by);
  if (!arms.includes('trained')) refuse('the arm trained with --record', arms.join(', '), 'Add it to --arms');
  if (samples > 1) refuse('greedy answers with --record', `--samples ${samples}`, 'Leave one of the two out');
}

/**
 * The digest of what shall be on record, where it can be put there.
 * @throws INVALID_INPUT for the base model; INVALID_CONFIGURATION without a key that is believed; LOG_READ_ONLY where nothing can be written
 */
export async function recordable(
  runtime: CommandRuntime,
  adapter: { readonly digest: string } | null,
): Promise<string> {
  if (adapter !== null) {
    assertWouldBeBelieved('AdapterEvaluated', await runtime.signing());
    await runtime.openLog('append');
    return adapter.digest;
  }
  throw new SeamError(
    'INVALID_INPUT',
    'Evaluating: expected an adapter beside --record, got the base model. Name one with --adapter.',
  );
}

/** Appends what was measured. @throws INVALID_INPUT before anything is recorded */
export async function recordEvaluation(
  runtime: CommandRuntime,
  by: string,
  measured: {
    readonly adapterDigest: string;
    readonly baseModelDigest: string;
    readonly problemSet: string;
    readonly result: EvaluationResult;
    readonly executor: ExecutorIdentity;
  },
): Promise<AdapterEvaluated> {
  const { adapterDigest, baseModelDigest } = measured;
  const { versions } = await readLineage(runtime);
  const parent = versions.find((each) => each.adapterDigest === adapterDigest)?.parent ?? null;
  const event = evaluationBy(
    { by, at: runtime.clock.now(), messageId: newId() },
    { adapterDigest, parent, baseModelDigest },
    measured,
  );
  const log = await runtime.openLog('append');
  await log.append([encodeEvent(event)]);
  return event;
}
