import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, SeamError } from '@seamstream/kernel';
import {
  ChildProcessLauncher,
  ClusterLauncher,
  type JobLauncher,
  jobTemplate,
  KubernetesJobs,
  RayJobs,
} from '@seamstream/training-contract';
import type { TrainerConfig } from './config.js';

type Torch = TrainerConfig['torch'];

/** The words that start the engine on PyTorch on a model folder; a job's folder follows them. */
export function torchCommand(
  { command, processes, options, launcher }: Torch,
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
export async function torchLauncher(torch: Torch, modelFolder: string): Promise<JobLauncher> {
  const command = torchCommand(torch, modelFolder);
  if (torch.launcher === 'ray')
    return new ClusterLauncher(await rayJobs(torch.ray, command), { startWithinMs: torch.startWithinMs });
  if (torch.launcher === 'kubernetes')
    return new ClusterLauncher(await kubernetesJobs(torch.kubernetes, command), { startWithinMs: torch.startWithinMs });
  const launcher = new ChildProcessLauncher({ command });
  const { hasSucceeded, report } = await launcher.reportVersion();
  if (hasSucceeded) return launcher;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot train with PyTorch: expected "${torch.command}" to start seamstream_torch, got: ${report} Install engines/torch, or set SEAM_TRAINER_TORCH_COMMAND and SEAM_TRAINER_TORCH_OPTIONS (docs/how-to/gpu-training.md).`,
  );
}

async function rayJobs({ dashboard, gpus }: Torch['ray'], command: readonly string[]): Promise<RayJobs> {
  const jobs = new RayJobs({ dashboard, gpus, command });
  await reached(jobs.version(), `Ray: expected its dashboard at ${dashboard}`, 'SEAM_TRAINER_TORCH_RAY_DASHBOARD');
  return jobs;
}

async function kubernetesJobs(
  { manifest, server, accountFolder }: Torch['kubernetes'],
  command: readonly string[],
): Promise<KubernetesJobs> {
  const text = await reached(
    readFile(manifest!, 'utf8'),
    `Kubernetes: expected the manifest of a Job in ${manifest}`,
    'SEAM_TRAINER_TORCH_KUBERNETES_MANIFEST',
  );
  const jobs = new KubernetesJobs({ server, accountFolder, template: jobTemplate(text), command });
  await reached(jobs.check(), `Kubernetes: expected to list Jobs at ${server}`, 'SEAM_TRAINER_TORCH_KUBERNETES_…');
  return jobs;
}

/** The answer. @throws INVALID_CONFIGURATION where there is none */
async function reached<T>(answer: Promise<T>, expected: string, setting: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot train on ${expected}, got: ${messageOf(error)}. Correct ${setting} (docs/how-to/gpu-training.md).`,
    );
  }
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
