import { type InMemoryEventLog, partitionForKey } from '@seamstream/event-log';
import {
  contentDigest,
  copyOf,
  type EventOf,
  encodeEvent,
  originMeta,
  type SeamEvent,
  TOPIC,
  TOPICS,
} from '@seamstream/events';
import { domainEntrySchema, entrySchemas } from '@seamstream/experience';
import { derivedId, Random, SeamError, sha256 } from '@seamstream/kernel';
import {
  type Adapter,
  createAdapter,
  encodeAdapter,
  type GeneratedSequence,
  type GenerationRequest,
} from '@seamstream/language-model';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { decodeServed, type GeneratorModel } from '@seamstream/rollout';
import { type RunningService } from '@seamstream/service-kit';
import { eventsOf, openLog, untilConsumed } from '@seamstream/testing';
import { promotedByRun, rolledBack } from '@seamstream/testing/promotion-log';
import { startForTest } from '@seamstream/testing/services';
import { type GeneratorConfig, generatorConfigSchema, generatorService, ServingAdapter } from './app.module.js';
import { assignArm, assignmentOf } from './arm.decide.js';

const config = generatorConfigSchema.parse({
  logging: { level: 'silent' },
  consuming: { firstRetryMs: 1, maxRetryMs: 5 },
  generator: { groupSize: 3, controlShare: 0.25, maxBatchRecords: 5 },
});

const WORDS = ['carry', 'borrow', 'halve'];
const schemaFor = entrySchemas({
  sums: domainEntrySchema({ concepts: { words: WORDS }, strategy: { words: ['once'] }, pitfalls: { words: ['none'] } }),
});

/** Bytes for tokens; the seed and the adapter choose the word. */
class FakeModel implements GeneratorModel {
  readonly digest = sha256('fake base');
  room = 300;
  cannotWrite = false;
  brokenTemplate = false;
  get config(): { readonly maxPositions: number } {
    return { maxPositions: this.room };
  }

  async assertWrites(): Promise<void> {
    if (this.cannotWrite) throw new SeamError('UNSUPPORTED_JSON_SCHEMA', 'no token begins with byte 0xF1');
  }

  readonly tokenizer = {
    digest: sha256('bytes'),
    encode: (text: string) => {
      if (this.brokenTemplate) throw new SeamError('CHECKPOINT_INVALID', 'its loop does not end');
      return [...Buffer.from(text)];
    },
    decode: (ids: readonly number[]) => Buffer.from(ids).toString(),
  };
  readonly calls: { readonly adapter: string | null; readonly requests: readonly GenerationRequest[] }[] = [];
  answersProbes = true;
  /** Calls that do not end before they are aborted. */
  hangs = 0;
  /** Calls for several problems that finish the first and then hang. */
  hangsAfterFirst = 0;

  async generate(
    requests: readonly GenerationRequest[],
    { adapter, signal, onProgress }: NonNullable<Parameters<GeneratorModel['generate']>[1]> = {},
  ): Promise<readonly GeneratedSequence[][]> {
    this.calls.push({ adapter: adapter?.digest ?? null, requests });
    const written = (request: GenerationRequest): GeneratedSequence[] => this.sequences(request, adapter);
    if (requests.length > 1 && this.hangsAfterFirst-- > 0) {
      onProgress?.({ tokens: 1, finished: [{ request: 0, candidates: written(requests[0]!) }] });
      this.hangs = 1;
    }
    if (this.hangs-- > 0) {
      await new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(new SeamError('ABORTED', 'Aborted.'))),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
    return requests.map(written);
  }

  private sequences({ seeds }: GenerationRequest, adapter: Adapter | undefined): GeneratedSequence[] {
    return seeds.map((seed): GeneratedSequence => {
      const word = Random.of(seed, adapter?.digest ?? 'base').pick(WORDS);
      const tokenIds = this.tokenizer.encode(
        JSON.stringify({ concepts: [word], strategy: ['once'], pitfalls: ['none'] }),
      );
      return {
        tokenIds,
        logProbs: tokenIds.map(() => -0.5),
        legalMass: tokenIds.map(() => 0.25),
        forced: tokenIds.map((_, index) => index !== 14),
        finishReason: 'completed',
      };
    });
  }

  async fingerprint(adapter?: Adapter): Promise<string> {
    return sha256(this.answersProbes ? 'probe' : 'other processor', adapter?.digest ?? 'base');
  }
}

let log: InMemoryEventLog;
let objects: InMemoryObjectStore;
let model: FakeModel;

beforeEach(async () => {
  log = await openLog();
  objects = new InMemoryObjectStore();
  model = new FakeModel();
});

const publish = (...events: SeamEvent[]): Promise<unknown> => log.append(events.map(encodeEvent));

const settled = (): Promise<void> => untilConsumed(log, { group: 'seam.generator', topic: TOPIC.problems });

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
const armOf = (published: EventOf<'ProblemPublished'>, at: number, share: number) =>
  assignArm(published, at, assignmentOf(published, share, undefined));
const isControl = (id: string): boolean => armOf(problem(id), 0, 0.25) === 'control';

describe('the fate of a problem', () => {
  it('is decided by its id: a quarter is control when a quarter shall be, the same ones every time', () => {
    const control = names('p', 4000).filter(isControl);
    expect(control.length / 4000).toBeCloseTo(0.25, 1);
    expect(names('p', 4000).filter(isControl)).toEqual(control);
    expect(names('p', 100).some((id) => armOf(problem(id), 0, 0) === 'control')).toBe(false);
    expect(names('p', 100).every((id) => armOf(problem(id), 0, 1) === 'control')).toBe(true);
  });

  it('is expired from the moment on that it names, in any arm', () => {
    expect(armOf(problem('a', { expiresAt: 100 }), 99, 1)).toBe('control');
    expect(armOf(problem('a', { expiresAt: 100 }), 100, 1)).toBe('expired');
  });
});

describe('the generator service', () => {
  it('leaves a model that hangs when its batch has had its time, and continues with the next problem', async () => {
    model.hangs = 1;
    await publish(problem('a'));
    const service = await serve({ controlShare: 0 }, { deadlineMs: 30 });
    await settled();
    await publish(problem('b'));
    await settled();
    const groups = await eventsOf(log, 'ExperienceGenerated');
    expect(groups.filter(({ problem: { problemId } }) => problemId === 'b')).toHaveLength(3);
    await service.close();
    await expect(service.ended).resolves.toBeUndefined();
  });

  it('does not write again what a batch that came to no end had finished', async () => {
    const { partitions } = TOPICS.find(({ name }) => name === TOPIC.problems)!;
    // All in one partition, so that they are one batch once the speed is known.
    const ids = names('k', 400)
      .filter((id) => partitionForKey(id, partitions) === 0)
      .slice(0, 6);
    model.hangsAfterFirst = 1;
    await publish(...ids.map((id) => problem(id)));
    // A problem that takes a fifth of it on a busy machine still leaves room for five.
    await serve({ controlShare: 0, maxBatchRecords: 10 }, { deadlineMs: 1_500 });
    await settled();
    expect(model.hangsAfterFirst).toBe(0);
    const groups = await eventsOf(log, 'ExperienceGenerated');
    expect(groups.map(({ problem: { problemId } }) => problemId).sort()).toEqual(
      ids.flatMap((id) => [id, id, id]).sort(),
    );
    // The first alone, the batch whose first problem was finished, and the four others one at a time.
    expect(model.calls.map(({ requests }) => requests.length)).toEqual([1, 5, 1, 1, 1, 1]);
  });

  it('writes a group per explored problem and one greedy entry per deployed one, with every fact that training needs', async () => {
    const explored = names('e', 12);
    const deployed = names('d', 6);
    await publish(...explored.map((id) => problem(id)), ...deployed.map((id) => problem(id, { mode: 'deploy' })));
    await serve();
    await settled();
    const experiences = await eventsOf(log, 'ExperienceGenerated');
    const withheld = await eventsOf(log, 'ExperienceWithheld');
    const all = [...explored, ...deployed];
    expect(withheld.map(({ problem: { problemId } }) => problemId).sort()).toEqual(all.filter(isControl).sort());
    for (const id of all.filter((each) => !isControl(each))) {
      const group = experiences.filter((event) => event.problem.problemId === id);
      const size = id.startsWith('e') ? 3 : 1;
      expect(group.map(({ candidateIndex, groupSize, arm }) => ({ candidateIndex, groupSize, arm }))).toEqual(
        Array.from({ length: size }, (_, candidateIndex) => ({
          candidateIndex,
          groupSize: size,
          arm: size === 3 ? 'explore' : 'deploy',
        })),
      );
      expect(new Set(group.map(({ groupId }) => groupId)).size).toBe(1);
      expect(group[0]).toMatchObject({
        adapterDigest: null,
        baseModelDigest: model.digest,
        tokenizerDigest: model.tokenizer.digest,
        sampling: { temperature: size === 3 ? 1 : 0, maxTokens: 64 },
        meta: { causationId: problem(id).meta.messageId, correlationId: id, subject: 'ada', sourceClass: 'model' },
      });
      expect(group[0]?.logProbs).toHaveLength(group[0]?.tokenIds.length ?? 0);
    }
  });

  it('copies small content of a problem, and names large content in all that follows, with its place', async () => {
    const long = { ...problem('e-1').problem, prompt: 'What is e? '.repeat(9) };
    const [small, large] = [problem('e-0'), problem('e-1', { problem: long })];
    const late = problem('late', { problem: { ...long, problemId: 'late' }, expiresAt: 5 });
    const places = await log.append([small, large, late].map(encodeEvent));
    await serve({ controlShare: 0, inlineContentBytes: 50 });
    await settled();
    const group = await eventsOf(log, 'ExperienceGenerated');
    const copiesOf = (id: string) => group.map((event) => event.problem).filter(({ problemId }) => problemId === id);
    expect(copiesOf('e-0')).toEqual([small, small, small].map((event) => event.problem));
    const named = copyOf(long, places[1]!, 50);
    expect(named).toMatchObject({
      prompt: { digest: contentDigest(long), partition: places[1]!.partition, offset: places[1]!.offset },
      reference: null,
    });
    expect(copiesOf('e-1')).toEqual([named, named, named]);
    expect((await eventsOf(log, 'ProblemExpired')).map((event) => event.problem)).toEqual([
      copyOf(late.problem, places[2]!, 50),
    ]);
  });

  it('never shows the reference answer to the model', async () => {
    await publish(...names('e', 6).map((id) => problem(id)));
    await serve();
    await settled();
    const read = model.calls.flatMap(({ requests }) =>
      requests.map(({ promptTokenIds }) => model.tokenizer.decode(promptTokenIds)),
    );
    expect(read.length).toBeGreaterThan(0);
    expect(read.join()).not.toContain('SECRET');
  });

  it('states that a problem expired and asks no model for it', async () => {
    await publish(problem('late', { expiresAt: 5 }));
    await serve();
    await settled();
    expect(await eventsOf(log, 'ProblemExpired')).toMatchObject([
      { problem: { problemId: 'late' }, meta: { causationId: problem('late').meta.messageId } },
    ]);
    expect(model.calls).toHaveLength(0);
  });

  it.each([
    ['a prompt and an entry that the model does not hold', { room: 40 }, 'Lower SEAM_GENERATOR_SAMPLING_MAX_TOKENS'],
    ['a vocabulary that cannot spell the entries', { cannotWrite: true }, 'no token begins with byte 0xF1'],
    ['a template that fails', { brokenTemplate: true }, 'the template fails'],
  ])('refuses to start with %s, before a problem is looked at', async (_title, fault, message) => {
    Object.assign(model, fault);
    await publish(problem('a'));
    await expect(serve({ controlShare: 0 })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining(message) as string,
    });
    expect(await eventsOf(log, 'DeadLettered')).toEqual([]);
    expect(await log.committedOffsets('seam.generator')).toEqual([]);
  });

  it('sends a problem that does not fit the model to the dead letters', async () => {
    const [id] = names('long', 20).filter((each) => !isControl(each));
    const event = problem(id!);
    await publish({ ...event, problem: { ...event.problem, prompt: 'x'.repeat(400) } });
    await serve();
    await settled();
    expect(await eventsOf(log, 'DeadLettered')).toMatchObject([{ code: 'PROMPT_TOO_LONG', key: id }]);
  });

  it('serves a promoted adapter to every problem published after the promotion, without a restart', async () => {
    await serve();
    await publish(...names('before', 10).map((id) => problem(id)));
    await settled();
    const adapter = adapterOf('first');
    await promote(adapter);
    await publish(...names('after', 10).map((id) => problem(id)));
    await settled();
    for (const event of await eventsOf(log, 'ExperienceGenerated')) {
      expect(event.adapterDigest).toBe(event.problem.problemId.startsWith('after') ? adapter.digest : null);
    }
  });

  it('lets scouts of the base model finish each group once an adapter serves, and none before', async () => {
    await serve({ groupSize: 4, scouts: 1 });
    await publish(...names('before', 10).map((id) => problem(id)));
    await settled();
    const adapter = adapterOf('first');
    await promote(adapter);
    await publish(...names('after', 10).map((id) => problem(id)));
    await settled();
    const groups = Map.groupBy(await eventsOf(log, 'ExperienceGenerated'), ({ problem: { problemId } }) => problemId);
    expect(groups.size).toBeGreaterThan(10);
    for (const [id, group] of groups) {
      const written = group.toSorted((a, b) => a.candidateIndex - b.candidateIndex);
      const { digest } = adapter;
      expect(written.map(({ adapterDigest }) => adapterDigest)).toEqual(
        id.startsWith('after') ? [digest, digest, digest, null] : [null, null, null, null],
      );
      expect(written.map(({ candidateIndex }) => candidateIndex)).toEqual([0, 1, 2, 3]);
      expect(new Set(written.map(({ sampling }) => sampling.seed)).size).toBe(4);
      expect(written.every(({ groupSize }) => groupSize === 4)).toBe(true);
    }
  });

  it('no group mixes two adapters while promotions come in between', async () => {
    await serve();
    for (let round = 0; round < 6; round++) {
      await publish(...names(`r${round}`, 15).map((id) => problem(id)));
      await promote(adapterOf(`version-${round}`));
    }
    await settled();
    const groups = Map.groupBy(await eventsOf(log, 'ExperienceGenerated'), ({ groupId }) => groupId);
    expect(groups.size).toBe(
      names('x', 0)
        .concat(...Array.from({ length: 6 }, (_, round) => names(`r${round}`, 15)))
        .filter((id) => !isControl(id)).length,
    );
    for (const group of groups.values()) expect(new Set(group.map(({ adapterDigest }) => adapterDigest)).size).toBe(1);
  });

  it('refuses an adapter that does not answer the probe as promised, keeps serving the one before, and says so', async () => {
    const service = await serve();
    const good = adapterOf('good');
    await promote(good);
    await promote(adapterOf('bad'), sha256('another fingerprint'));
    await publish(...names('p', 10).map((id) => problem(id)));
    await settled();
    const experiences = await eventsOf(log, 'ExperienceGenerated');
    expect(experiences.length).toBeGreaterThan(0);
    // Both promotions were in the log before the first batch: the last one is refused, and nothing was served before it.
    expect(new Set(experiences.map(({ adapterDigest }) => adapterDigest))).toEqual(new Set([null]));
    expect(service.get(ServingAdapter).status()).toEqual({ serving: null, refused: adapterOf('bad').digest });
    expect(await service.metrics.registry.getSingleMetricAsString('seam_adapters_refused_total')).toContain(
      'seam_adapters_refused_total 1',
    );
    await promote(adapterOf('next'));
    await publish(...names('q', 10).map((id) => problem(id)));
    await settled();
    expect(service.get(ServingAdapter).status()).toEqual({ serving: adapterOf('next').digest, refused: null });
  });

  it('refuses an adapter whose object is missing or is another one', async () => {
    const service = await serve();
    const missing = adapterOf('missing');
    await publish(...promotion(missing, await model.fingerprint(missing)), ...names('p', 8).map((id) => problem(id)));
    await settled();
    expect(service.get(ServingAdapter).status().refused).toBe(missing.digest);
    const claimed = adapterOf('claimed');
    await objects.put(`adapters/${claimed.digest}.safetensors`, encodeAdapter(adapterOf('in its place')));
    await publish(...promotion(claimed, await model.fingerprint(claimed)), ...names('q', 8).map((id) => problem(id)));
    await settled();
    expect(service.get(ServingAdapter).status()).toEqual({ serving: null, refused: claimed.digest });
  });

  it('keeps serving its adapter when a team is promoted into its slot, and starts where one is', async () => {
    const service = await serve();
    const good = adapterOf('good');
    await promote(good);
    await publish(...names('p', 4).map((id) => problem(id)));
    await settled();
    const digest = sha256('a team');
    const key = `teams/${digest}/team.json`;
    await objects.put(key, Buffer.from('{"agents":[]}'));
    await publish(...promotedByRun({ adapterDigest: digest, parent: good.digest, runId: 'run of a team', key }));
    await publish(...names('q', 4).map((id) => problem(id)));
    await settled();
    expect(service.get(ServingAdapter).status()).toEqual({ serving: good.digest, refused: digest });
    await service.close();
    const again = await serve();
    await publish(...names('r', 4).map((id) => problem(id)));
    await settled();
    expect(again.get(ServingAdapter).status().refused).toBe(digest);
    expect(() => decodeServed(key, Buffer.from('{}'))).toThrow(/expected weights or a library, got a team of agents/);
  });

  it('keeps serving its adapter when a promotion or a rollback is forged, reports that, and follows the next true one', async () => {
    const service = await serve();
    const good = adapterOf('good');
    await promote(good);
    await publish(...names('p', 4).map((id) => problem(id)));
    await settled();
    const forge = async (name: string): Promise<readonly SeamEvent[]> => {
      const evil = adapterOf(name);
      await objects.put(`adapters/${evil.digest}.safetensors`, encodeAdapter(evil));
      return promotion(evil, await model.fingerprint(evil));
    };
    const unmeasured = (event: SeamEvent): SeamEvent => ({ ...event, evaluation: null }) as SeamEvent;
    const forgeries = [
      (await forge('of nothing')).slice(3),
      (await forge('of no run')).filter(({ type }) => type.startsWith('Adapter')),
      (await forge('of a run that continues')).filter(({ type }) => type !== 'TrainingRunCompleted'),
      (await forge('not measured')).map((event) => (event.type === 'AdapterPromoted' ? unmeasured(event) : event)),
      [rolledBack('forged', good.digest, adapterOf('of nothing').digest)],
    ];
    for (const [index, forgery] of forgeries.entries()) {
      await publish(...forgery, ...names(`q${index}`, 2).map((id) => problem(id)));
      await settled();
      expect(service.get(ServingAdapter).status()).toEqual({ serving: good.digest, refused: null });
      expect(await service.metrics.registry.getSingleMetricAsString('seam_promotions_unfounded_total')).toContain(
        `seam_promotions_unfounded_total ${index + 1}`,
      );
    }
    await promote(adapterOf('next'));
    await publish(...names('r', 2).map((id) => problem(id)));
    await settled();
    expect(service.get(ServingAdapter).status()).toEqual({ serving: adapterOf('next').digest, refused: null });
  });
});

function adapterOf(name: string): Adapter {
  const tensors = new Map([[name, { shape: [1], data: Float32Array.of(1) }]]);
  return createAdapter({ kind: 'full', settings: { kind: 'full' }, baseModelDigest: sha256('fake base'), tensors });
}

function problem(id: string, changes: Partial<EventOf<'ProblemPublished'>> = {}): EventOf<'ProblemPublished'> {
  return {
    type: 'ProblemPublished',
    feedbackWithinMs: null,
    task: null,
    meta: originMeta({
      messageId: derivedId(id, 'problem'),
      correlationId: id,
      source: 'seam/test',
      occurredAt: 1,
      sourceClass: 'user',
      subject: 'ada',
    }),
    problem: {
      problemId: id,
      domain: 'sums',
      prompt: `What is ${id}?`,
      reference: 'SECRET',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    mode: 'explore',
    expiresAt: null,
    ...changes,
  };
}

/** The run that promotes it, from its start. */
function promotion(adapter: Adapter, fingerprint: string): readonly SeamEvent[] {
  return promotedByRun({
    adapterDigest: adapter.digest,
    runId: derivedId(adapter.digest, `run-${fingerprint}`),
    key: `adapters/${adapter.digest}.safetensors`,
    fingerprint,
  });
}

function serve(
  settings: Partial<GeneratorConfig['generator']> = {},
  consuming: Partial<GeneratorConfig['consuming']> = {},
): Promise<RunningService> {
  const changed: GeneratorConfig = {
    ...config,
    generator: { ...config.generator, ...settings },
    consuming: { ...config.consuming, ...consuming },
  };
  return startForTest(generatorService({ model, schemaFor }), { config: changed, log, objects });
}

async function promote(adapter: Adapter, fingerprint?: string): Promise<void> {
  await objects.put(`adapters/${adapter.digest}.safetensors`, encodeAdapter(adapter));
  await publish(...promotion(adapter, fingerprint ?? (await model.fingerprint(adapter))));
}
