/** `npm start` with an executor that acts by tools: a model's endpoint, a real tool server, and a site that only the tool can read. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatCompletion, ModelServer, toolCalls } from '@seamstream/testing/model-server';
import { startSite, toolServerProgram } from '@seamstream/testing/tool-server';
import { embeddedEnvironment } from './embedded-environment.js';
import { hostServices } from './host-services.js';
import { writeWorldFiles } from './world-files.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe('services in one process whose executor acts by tools', () => {
  it('start, the trainer as well, and answer by what a tool says', async () => {
    const { environment, site } = await toolWorld();
    const host = await hostServices(environment, ['executor', 'trainer'], { onTraining: () => undefined });
    closers.push(() => host.close());
    const [[answer]] = (await host.environment.attempt([
      { problem: { problemId: 'p', domain: 'web', prompt: 'Where is it held?' }, entry: null, seeds: ['s'] },
    ])) as [[unknown]];
    expect(answer).toMatchObject({ status: 'answered', text: 'Answer: Vienna', toolCalls: [{ tool: 'visit' }] });
    expect(site.seen).toEqual(['/']);
  }, 60_000);
});

/** Settings as a person gives them to `npm start`. */
async function toolWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'host-tools-'));
  closers.push(() => rm(folder, { recursive: true }));
  const site = await startSite({ '/': '<p>It is held in Vienna.</p>' });
  closers.push(site.stop);
  const model = await ModelServer.start(({ method, body }) => {
    if (method === 'GET') return { kind: 'answer', status: 404, body: '' };
    const last = (body!.messages as { role: string; content: string }[]).at(-1)!;
    if (last.content === 'Hello') return { kind: 'answer', body: chatCompletion('Hi') };
    const place = last.role === 'tool' ? /held in (\w+)/.exec(last.content)![1] : undefined;
    const visit = toolCalls([['visit', { url: site.url }]]);
    return { kind: 'answer', body: place === undefined ? visit : chatCompletion(`Answer: ${place}`) };
  });
  closers.push(() => model.stop());
  const servers = { site: { ...toolServerProgram(), tools: ['visit'], hosts: [site.host] } };
  await writeWorldFiles(folder);
  const environment = embeddedEnvironment(
    { dataFolder: folder, seed: 1, roundSize: 8, algorithm: 'sft' },
    {
      SEAM_EXECUTOR_DRIVER: 'tools',
      SEAM_EXECUTOR_ENDPOINT_URL: model.url,
      SEAM_EXECUTOR_ENDPOINT_MODEL: 'tiny',
      SEAM_EXECUTOR_TOOLS_SERVERS: JSON.stringify(servers),
    },
  );
  return { environment, site };
}
