import { resolve } from 'node:path';
import { messageOf, SeamError } from '@seamstream/kernel';
import { ChildProcessLauncher, ClusterLauncher, type JobLauncher, RayJobs } from '@seamstream/training-contract';
import type { TrainerConfig } from './config.js';

/** The words that start the engine on PyTorch on a model folder; a job's folder follows them. */
export function torchCommand(
  { command, processes, options, launcher }: TrainerConfig['torch'],
  modelFolder: string,
): [string, ...string[]] {
  const [program = 'torchrun', ...words] = wordsOf(command);
  // A program that a cluster starts has no input of ours: its workers watch torchrun, which the cluster ends.
  const ending = launcher === 'process' ? '--end-with-input' : '--end-with-parent';
  const engine = ['-m', 'seamstream_torch', ending, '--model', resolve(modelFolder), ...wordsOf(options)];
  return [program, ...words, '--nproc-per-node', String(processes), ...engine];
}

/**
 * What starts the engine on PyTorch, once it has reported its version, or the cluster that starts it has reported its own.
 * @throws INVALID_CONFIGURATION with what it said instead
 */
export async function torchLauncher(torch: TrainerConfig['torch'], modelFolder: string): Promise<JobLauncher> {
  const command = torchCommand(torch, modelFolder);
  if (torch.launcher === 'ray') return rayLauncher(torch.ray, command);
  const launcher = new ChildProcessLauncher({ command });
  const { hasSucceeded, report } = await launcher.reportVersion();
  if (hasSucceeded) return launcher;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot train with PyTorch: expected "${torch.command}" to start seamstream_torch, got: ${report} Install engines/torch, or set SEAM_TRAINER_TORCH_COMMAND and SEAM_TRAINER_TORCH_OPTIONS (docs/how-to/gpu-training.md).`,
  );
}

async function rayLauncher(ray: TrainerConfig['torch']['ray'], command: readonly string[]): Promise<JobLauncher> {
  const jobs = new RayJobs({ ...ray, command });
  try {
    await jobs.version();
  } catch (error) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot train on Ray: expected its dashboard at ${ray.dashboard}, got: ${messageOf(error)}. Start Ray with its dashboard, or set SEAM_TRAINER_TORCH_RAY_DASHBOARD (docs/how-to/gpu-training.md).`,
    );
  }
  return new ClusterLauncher(jobs);
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
