import { SeamError } from '@seamstream/kernel';
import type { Recording, Resumable } from './job-runner.js';

/** Between two steps. @throws ABORTED where the run was stopped, after a checkpoint from which it is resumed */
export async function leaveIfStopped(
  work: Resumable,
  { runId, signal, saving }: Pick<Recording, 'runId' | 'signal' | 'saving'>,
): Promise<void> {
  if (!signal.aborted) return;
  if (work.steps > 0 && saving !== undefined) await saving.save(work, {});
  throw new SeamError(
    'ABORTED',
    `Cannot finish training run ${runId}: it was stopped after step ${work.steps}. It is resumed from there.`,
  );
}
