import { resolve } from 'node:path';
import type { TrainerConfig } from './config.js';

/** The words that start the engine on PyTorch on a model folder; a job's folder follows them. */
export function torchCommand(
  { command, processes, options }: TrainerConfig['torch'],
  modelFolder: string,
): [string, ...string[]] {
  const [program = 'torchrun', ...words] = wordsOf(command);
  const engine = ['-m', 'seamstream_torch', '--end-with-input', '--model', resolve(modelFolder), ...wordsOf(options)];
  return [program, ...words, '--nproc-per-node', String(processes), ...engine];
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
