/** An evaluation that a person wants on record: what a promotion by name may rest on. */
import type { AdapterEvaluated, ExecutorIdentity } from '@seamstream/events';
import { encodeEvent } from '@seamstream/events';
import { newId, SeamError } from '@seamstream/kernel';
import type { EvaluationResult } from '@seamstream/rollout';
import type { CommandRuntime } from '../command-runtime.js';
import { evaluationBy } from './acts-on-adapters.decide.js';
import { readLineage } from './read-lineage.js';

export interface RecordOptions {
  readonly record?: true;
  readonly by?: string;
}

/** @throws INVALID_INPUT where only one of --record and --by is given, or answers are drawn */
export function checkRecording({ record, by }: RecordOptions, samples: number): void {
  const refuse = (expected: string, got: string, remedy: string): never => {
    throw new SeamError('INVALID_INPUT', `Evaluating: expected ${expected}, got ${got}. ${remedy}.`);
  };
  if (record === undefined) {
    if (by !== undefined) refuse('--record beside --by', 'none', 'Add --record, or leave --by out');
    return;
  }
  if (by === undefined || by.trim() === '') refuse('--by NAME beside --record', 'none', 'Say who measures');
  if (samples > 1) refuse('greedy answers with --record', `--samples ${samples}`, 'Leave one of the two out');
}

/** The digest of what shall be on record. @throws INVALID_INPUT for the base model */
export function recordable(adapter: { readonly digest: string } | null): string {
  if (adapter !== null) return adapter.digest;
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
