/** A trainer whose executor acts by tools: it measures adapters with a real tool server, whose words are in no prompt. */

import { fileURLToPath } from 'node:url';
import { worldProblems } from '@seamstream/embedded-world';
import type { Problem } from '@seamstream/events';
import { LanguageModel } from '@seamstream/language-model';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { createServiceLogger, loadConfig } from '@seamstream/service-kit';
import { newWorld, openLog } from '@seamstream/testing';
import { chatCompletion, ModelServer, toolCalls } from '@seamstream/testing/model-server';
import { startSite, toolServerProgram } from '@seamstream/testing/tool-server';
import { FakeEngine } from '@seamstream/training-contract/testing';
import { createTrainer, trainerConfigSchema } from './app.module.js';
import { publish } from './trainer-world.fake.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe('a trainer whose executor acts by tools', () => {
  it('compares adapters on answers that a tool gave', async () => {
    const site = await startSite({ '/': '<p>It is held in Vienna.</p>' });
    closers.push(site.stop);
    const server = await modelThatVisits(site.url);
    const { onDemand } = await trainerOf({
      SEAM_TRAINER_EXECUTOR_DRIVER: 'tools',
      SEAM_TRAINER_EXECUTOR_ENDPOINT_URL: server.url,
      SEAM_TRAINER_EXECUTOR_ENDPOINT_MODEL: 'tiny',
      SEAM_TRAINER_EXECUTOR_TOOLS_SERVERS: JSON.stringify({
        site: { ...toolServerProgram(), tools: ['visit'], hosts: [site.host] },
      }),
    });
    const trials = await onDemand.trials({ algorithm: 'grpo', settings: {} }, new AbortController().signal);
    // The tool's answer is right for three of them.
    expect((await trials.before()).toSorted()).toEqual([false, false, false, true, true, true]);
    expect(site.seen).toHaveLength(6);
  }, 60_000);
});

/** Repeats what the tool says; without the tool it knows nothing. */
async function modelThatVisits(url: string): Promise<ModelServer> {
  const server = await ModelServer.start(({ method, body }) => {
    if (method === 'GET') return { kind: 'answer', status: 404, body: '' };
    const { role, content } = (body!.messages as { role: string; content: string }[]).at(-1)!;
    if (content === 'Hello') return { kind: 'answer', body: chatCompletion('Hi') };
    const place = role === 'tool' ? /held in (\w+)/.exec(content)![1] : undefined;
    const reply = place === undefined ? toolCalls([['visit', { url }]]) : chatCompletion(`Answer: ${place}`);
    return { kind: 'answer', body: reply };
  });
  closers.push(() => server.stop());
  return server;
}

async function trainerOf(environment: Readonly<Record<string, string>>) {
  const modelFolder = fileURLToPath(new URL('../../../models/generator-base', import.meta.url));
  const config = loadConfig(trainerConfigSchema, {
    SEAM_EVIDENCE: 'none',
    SEAM_TRAINER_MODEL_FOLDER: modelFolder,
    SEAM_TRAINER_ENTRY_MAX_TOKENS: '24',
    ...environment,
  });
  const world = newWorld();
  await publish(world, 0, 6);
  const model = await LanguageModel.load(modelFolder, { threads: 1 });
  closers.push(() => model.close());
  const drivers = { log: await openLog(world), objects: new InMemoryObjectStore(world.objects) };
  const logger = createServiceLogger('trainer', 'silent');
  const onClose = (close: () => Promise<void>) => void closers.push(close);
  const assets = { model, engine: new FakeEngine(), validation: { name: 'places', problems: places(6) } };
  return createTrainer({ config, drivers, logger, onClose }, assets);
}

function places(count: number): readonly Problem[] {
  return worldProblems({ seed: 'places', split: 'heldOut', variant: 'base', count }).map((problem, at) => ({
    ...problem,
    domain: 'sums',
    reference: at % 2 === 0 ? 'Vienna' : 'Graz',
    verifier: { kind: 'exact', version: '1', options: {} },
  }));
}
