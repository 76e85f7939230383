/**
 * llama.cpp's server on this machine, over a model of the tests: an OpenAI-compatible server that others wrote. It comes as wheels
 * from PyPI (xllamacpp holds llama.cpp's own server, built for processors; some 200 MB with numpy), in seconds; transformers' server
 * would bring PyTorch with it, gigabytes.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-ports.js';
import { type ModelServer, startModelServer } from './model-server.js';
import { pythonWith } from './python.js';
import { temporaryFolder } from './server-process.js';

const PACKAGES = ['xllamacpp==2026.10.11549', 'gguf==0.19.0', 'numpy==2.4.6'];
const SCRIPT = fileURLToPath(new URL('../bin/serve-checkpoint.py', import.meta.url));

/**
 * Serves a model under a name: a checkpoint of the family qwen2 in F32, greedily equal to the engine as far as rounding allows, or a file in
 * GGUF as it is, with its chat template and contexts of 4,096 tokens.
 * Throws INVALID_CONFIGURATION when Python, pip or the network is missing, INTERNAL when it does not start.
 */
export async function startLlamaServer(model: string, name: string, key: string): Promise<ModelServer> {
  const { environment } = await pythonWith(PACKAGES);
  const folder = await temporaryFolder('llama');
  const [port] = (await freePorts(1)) as [number];
  const url = `http://127.0.0.1:${port}/v1`;
  return startModelServer(url, folder, {
    name: "llama.cpp's server",
    command: 'python3',
    args: [SCRIPT, model, String(port), name],
    env: { ...environment, SERVED_KEY: key },
    logFile: join(folder, 'server.log'),
    isReady: (logged) => logged().includes(`serving http://127.0.0.1:${port}`),
  });
}
