import { resolve } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import { ChildProcessLauncher, type JobLauncher } from '@seamstream/training-contract';
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

/**
 * What starts the engine on PyTorch, once it has reported its version.
 * @throws INVALID_CONFIGURATION with what it said instead
 */
export async function torchLauncher(torch: TrainerConfig['torch'], modelFolder: string): Promise<JobLauncher> {
  const launcher = new ChildProcessLauncher({ command: torchCommand(torch, modelFolder) });
  const { hasSucceeded, report } = await launcher.reportVersion();
  if (hasSucceeded) return launcher;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot train with PyTorch: expected "${torch.command}" to start seamstream_torch, got: ${report} Install engines/torch, or set SEAM_TRAINER_TORCH_COMMAND and SEAM_TRAINER_TORCH_OPTIONS (docs/how-to/gpu-training.md).`,
  );
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
