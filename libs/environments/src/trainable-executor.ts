/** Executors whose weights can be trained. One at an endpoint has none at hand, and is refused before anything is asked. */
import { SeamError } from '@seamstream/kernel';
import type { ExecutorModel } from './executor-model.port.js';

export type TrainableExecutor = ExecutorModel & Required<Pick<ExecutorModel, 'adapt' | 'countTokens'>>;

/**
 * @param purpose what it is needed for, e.g. `study self-edits`
 * @throws INVALID_CONFIGURATION for one that cannot be trained
 */
export function trainableExecutor(executor: ExecutorModel, purpose: string): TrainableExecutor {
  if (isTrainable(executor)) return executor;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot ${purpose}: expected an executor whose weights can be trained, got ${executor.identity.model} at an endpoint. Set SEAM_EXECUTOR_DRIVER to checkpoint.`,
  );
}

function isTrainable(executor: ExecutorModel): executor is TrainableExecutor {
  return executor.adapt !== undefined && executor.countTokens !== undefined;
}
