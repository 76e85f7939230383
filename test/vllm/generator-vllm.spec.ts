/** The generator on the real vLLM, which computes with models/generator-base on this machine's processors. */
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { startVllm } from '@seamstream/dev-servers';
import { fetched } from '../real-model/fetched.js';
import { generatorOnVllm, SERVER_KEY, SERVER_QUEUE } from '../support/generator-on-vllm.contract.js';

// The server starts twice, a minute each on two quiet cores; what hangs ends nevertheless.
jest.setTimeout(900_000);

const MODEL = fileURLToPath(new URL('../../models/generator-base', import.meta.url));

const server = await fetched('vLLM', () =>
  startVllm({ model: MODEL, name: 'base', key: SERVER_KEY, queued: SERVER_QUEUE }),
);

(server === undefined ? describe.skip : describe)('a generator on the real vLLM', () => {
  generatorOnVllm(async () => ({
    url: server!.url,
    modelFolder: MODEL,
    restart: async () => {
      await server!.kill();
      await server!.restart();
    },
    stop: () => server!.stop(),
  }));
});
