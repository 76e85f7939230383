/** The generator on a stand-in for vLLM over the engine (test/support/vllm-server.ts); the real one has the same suite in test/vllm. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemoryEventLog } from '@seamstream/event-log';
import { decodeEvent, encodeEvent, originMeta, type SeamEvent, TOPIC, TOPICS } from '@seamstream/events';
import { loadPrompts } from '@seamstream/experience';
import { generatorConfigSchema, generatorService } from '@seamstream/generator';
import { derivedId } from '@seamstream/kernel';
import { LanguageModel } from '@seamstream/language-model';
import { writeRandomModel } from '@seamstream/language-model/testing';
import { openVllmGenerator } from '@seamstream/model-clients';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { loadConfig, startService } from '@seamstream/service-kit';
import {
  generatorOnVllm,
  SERVER_KEY,
  SERVER_QUEUE,
  SERVER_RANK,
  variablesFor,
  WORDS,
} from '../support/generator-on-vllm.contract.js';
import { VllmServer } from '../support/vllm-server.js';

describe('a generator on a stand-in for vLLM', () => {
  let folder: string;
  let modelFolder: string;
  let engine: LanguageModel;
  let server: VllmServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vllm-stand-in-'));
    modelFolder = await writeRandomModel({ layers: 1, heads: 2, keyValueHeads: 1, maxPositions: 256 });
    engine = await LanguageModel.load(modelFolder, { threads: 2 });
    const settings = { name: 'base', key: SERVER_KEY, rank: SERVER_RANK, queued: SERVER_QUEUE };
    server = await VllmServer.start(engine, settings);
  });
  afterAll(async () => {
    await server.http.stop();
    await engine.close();
    for (const each of [folder, modelFolder]) await rm(each, { recursive: true, force: true });
  });

  const underTest = () => ({
    url: server.http.url,
    modelFolder,
    restart: () => server.restart(),
    stop: async () => undefined,
  });
  const variables = (changes: Record<string, string> = {}) => ({
    ...variablesFor(underTest(), folder),
    SEAM_GENERATOR_VLLM_PATIENCE_MS: '200',
    ...changes,
  });

  generatorOnVllm(async () => underTest());

  it('is refused at the start where the server reports other probabilities, and refuses temperatures that would change them', async () => {
    const { generator } = loadConfig(generatorConfigSchema, variables());
    server.logprobsMode = 'raw';
    await expect(openVllmGenerator(generator, process.env)).rejects.toThrow(/--logprobs-mode processed_logprobs/);
    server.logprobsMode = 'processed';
    const lacking = { ...variables(), SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER: undefined };
    expect(() => loadConfig(generatorConfigSchema, lacking)).toThrow(/SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER: expected a/);
    const { model, close } = await openVllmGenerator(generator, process.env);
    const sampling = { temperature: 0.7, topK: 0, topP: 1, maxTokens: 60 };
    const warm = model.generate([{ promptTokenIds: [1], seeds: ['1'], sampling, schema: WORDS }]);
    await expect(warm).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    await close();
  });

  it("is the service's generator: groups are written, and a refused key stops it without a problem being lost", async () => {
    const log = new InMemoryEventLog();
    await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
    const publish = (id: string) => log.append([encodeEvent(problem(id))]);
    await publish('a');
    const serve = async () =>
      startService(generatorService({ schemaFor: () => WORDS, prompts: await loadPrompts() }), {
        config: loadConfig(
          generatorConfigSchema,
          variables({ SEAM_GENERATOR_GROUP_SIZE: '3', SEAM_GENERATOR_CONTROL_SHARE: '0' }),
        ),
        drivers: { log, objects: new InMemoryObjectStore() },
        serveHttp: false,
      });
    const service = await serve();
    expect(await experiences(log, 3)).toMatchObject(
      [0, 1, 2].map((candidateIndex) => ({ candidateIndex, groupSize: 3, baseModelDigest: engine.digest })),
    );
    const behave = server.http.behave;
    server.http.behave = () => ({ kind: 'answer', status: 401, body: {} });
    const ended = expect(service.ended).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    await publish('b');
    await ended;
    await service.close();
    server.http.behave = behave;
    const again = await serve();
    expect(await experiences(log, 6)).toHaveLength(6);
    await again.close();
  });
});

function problem(id: string): SeamEvent {
  return {
    type: 'ProblemPublished',
    feedbackWithinMs: null,
    task: null,
    meta: originMeta({
      messageId: derivedId(id, 'problem'),
      correlationId: id,
      source: 'test',
      occurredAt: 1,
      sourceClass: 'user',
    }),
    problem: {
      problemId: id,
      domain: 'sums',
      prompt: `What is ${id}?`,
      reference: '4',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    mode: 'explore',
    expiresAt: null,
  };
}

async function experiences(log: InMemoryEventLog, count: number): Promise<SeamEvent[]> {
  for (const giveUp = Date.now() + 30_000; ; ) {
    const events: SeamEvent[] = [];
    for await (const chunk of log.read({ topic: TOPIC.experiences, partition: 0, from: 0 }))
      events.push(...chunk.map(decodeEvent));
    if (events.length >= count) return events;
    if (Date.now() > giveUp) throw new Error(`${events.length} of ${count} experiences within 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
