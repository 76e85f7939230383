/** Python with TRL, whose GRPOTrainer the loop is compared with; PyTorch, transformers and peft are those of transformers.lock. */
import { fileURLToPath } from 'node:url';
import { type Python, pythonLockedTo } from './python.js';

const LOCK = fileURLToPath(new URL('../requirements/trl.lock', import.meta.url));

/**
 * From the cache or from PyPI: gigabytes the first time, as PyPI's PyTorch carries the libraries of graphics processors.
 * @throws INVALID_CONFIGURATION where Python, pip or the network is missing
 */
export function pythonWithTrl(): Promise<Python> {
  return pythonLockedTo(LOCK);
}
