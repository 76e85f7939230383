import { InMemoryEventLog, type Transaction } from '@seamstream/event-log';
import { decodeEvent, type EventOf, encodeEvent, TOPIC } from '@seamstream/events';
import { DEFAULT_ENTRY_SCHEMA, entrySchemas, schemaDigest, withoutQuoteRules } from '@seamstream/experience';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { type Adapter, decodeAdapter, type ScoredSequence } from '@seamstream/language-model';
import { InMemoryObjectStore, type InMemoryObjects } from '@seamstream/object-store';
import { createServiceLogger } from '@seamstream/service-kit';
import { loadConfig } from '@seamstream/service-kit/config';
import { eventsOf, newWorld, openLog, until } from '@seamstream/testing';
import { evaluatedByPerson, promotedByPerson, promotedByRun } from '@seamstream/testing/promotion-log';
import { type JsonSchema } from '@seamstream/token-grammar';
import type { TrainingWeights } from '@seamstream/training-contract';
import { FakeEngine, fakeLogProb } from '@seamstream/training-contract/testing';
import {
  type ProblemResult,
  readTrainingHistory,
  runConfigurationOf,
  servedAdaptersIn,
} from '@seamstream/training-runs';
import { explored, FakeEvaluation } from '@seamstream/training-runs/testing';
import { createTrainer } from './app.module.js';
import { trainerConfigSchema } from './config.js';
import {
  BASE,
  closeDuring,
  closeServices,
  commitVersion,
  configOf,
  consumed,
  digests,
  encodeAll,
  endsOfOutcomes,
  onDemandOf,
  playRounds,
  publish,
  serve,
  undisturbed,
} from './trainer-world.fake.js';

afterEach(closeServices);

describe('the trainer service', () => {
  it('runs after every sixth completed problem: started, checkpointed, published, completed, promoted', async () => {
    const world = newWorld();
    const progress: string[] = [];
    await serve(world, { onProgress: ({ phase, done, total }) => progress.push(`${phase} ${done}/${total}`) });
    await publish(world, 0, 5);
    await consumed(world);
    expect(await eventsOf(world, 'TrainingRunStarted')).toHaveLength(0);
    await publish(world, 5, 6);
    await consumed(world);
    const [started] = await eventsOf(world, 'TrainingRunStarted');
    const [published] = await eventsOf(world, 'AdapterPublished');
    expect(started).toMatchObject({
      algorithm: 'grpo',
      baseModelDigest: BASE,
      parentAdapter: null,
      manifestKey: null,
      // The schedule depends on the results that are learned from, not on their place in the log.
      seed: `seamstream:${sha256(canonicalJson((await eventsOf(world, 'OutcomeRecorded')).map(({ meta }) => meta.messageId).sort()))}`,
    });
    const log = await openLog(world);
    const whole = async (topic: typeof TOPIC.outcomes | typeof TOPIC.experiences) =>
      (await log.watermarks(topic))
        .filter(({ high }) => high > 0)
        .map(({ partition, high }) => ({ topic, partition, from: 0, to: high }));
    expect(started?.inputs).toEqual([...(await whole(TOPIC.experiences)), ...(await whole(TOPIC.outcomes))]);
    const configuration = runConfigurationOf(started!);
    expect(configuration.domains).toEqual(['sums', 'words']);
    expect(configuration.curriculum).toEqual({ rounds: 1, overall: 0.25, rates: { sums: 0.25, words: 0.25 } });
    expect(configuration.algorithm).toMatchObject({ clip: { low: 0.2, high: 0.28 }, batchSize: 4 });
    expect((await eventsOf(world, 'TrainingRunCheckpointed')).map(({ step }) => step)).toEqual([2, 4]);
    expect(await eventsOf(world, 'TrainingRunCompleted')).toMatchObject([
      { runId: started?.runId, steps: 6, adapterDigest: published?.adapterDigest },
    ]);
    expect(await eventsOf(world, 'AdapterPromoted')).toMatchObject([
      {
        adapterDigest: published?.adapterDigest,
        runId: started?.runId,
        parent: null,
        fingerprint: sha256('probe', published!.adapterDigest),
        evaluation: { problems: 20, success: 0.9, parentSuccess: 0 },
      },
    ]);
    expect(progress.filter((line) => line.startsWith('training'))).toEqual(
      [1, 2, 3, 4, 5, 6].map((step) => `training ${step}/6`),
    );
  });

  it('leaves the adapter with config and lineage in the object store, and no checkpoints', async () => {
    const world = newWorld();
    await serve(world);
    await playRounds(world, 1);
    const [published] = await eventsOf(world, 'AdapterPublished');
    const [started] = await eventsOf(world, 'TrainingRunStarted');
    const objects = new InMemoryObjectStore(world.objects);
    const adapter = decodeAdapter(await objects.get(published!.key), { digest: published!.adapterDigest });
    expect(adapter.baseModelDigest).toBe(BASE);
    const lineage = JSON.parse(
      Buffer.from(await objects.get(published!.key.replace('adapter.safetensors', 'lineage.json'))).toString(),
    ) as Record<string, unknown>;
    expect(lineage).toMatchObject({
      runId: started?.runId,
      algorithm: 'grpo',
      inputs: started?.inputs,
      parentAdapter: null,
      seed: started?.seed,
      configuration: { domains: ['sums', 'words'] },
    });
    expect([...world.objects.keys()].filter((key) => key.startsWith('training/'))).toEqual([]);
  });

  it('each run begins with the adapter that was promoted last and knows all that were served', async () => {
    const world = newWorld();
    await serve(world);
    await playRounds(world, 3);
    const runs = (await eventsOf(world, 'TrainingRunStarted')).sort(
      (a, b) => runConfigurationOf(a).window!.index - runConfigurationOf(b).window!.index,
    );
    const promotions = (await eventsOf(world, 'AdapterPromoted')).map(({ adapterDigest }) => adapterDigest);
    expect(promotions).toHaveLength(3);
    expect(runs.map(({ parentAdapter }) => parentAdapter)).toEqual([null, promotions[0], promotions[1]]);
    expect(runConfigurationOf(runs[2]!).servedAdapters).toEqual([null, promotions[0], promotions[1]]);
  });

  it('training begins from the weights of the adapter that was promoted last, not of the base model', async () => {
    const world = newWorld();
    const engine = new FakeEngine();
    await serve(world, { engine });
    await playRounds(world, 3);
    const promotions = (await eventsOf(world, 'AdapterPromoted')).map(({ adapterDigest }) => adapterDigest);
    expect(engine.begun.map(({ beganWith }) => beganWith)).toEqual([null, promotions[0], promotions[1]]);
    expect(engine.begun.map(({ stepped }) => stepped.length)).toEqual([6, 6, 6]);
  });

  it.each(['parent', 'base'] as const)(
    'a run is held to the log-probabilities of its %s, and its ratios begin at those of its parent',
    async (reference) => {
      const world = newWorld();
      const engine = new FakeEngine();
      const grpo = { batchSize: 4, duration: { unit: 'steps', steps: 6 }, kl: { coefficient: 0.01, reference } };
      await serve(world, { engine, config: { algorithms: { grpo } } });
      await playRounds(world, 2);
      const [{ key, adapterDigest } = { key: '', adapterDigest: '' }] = await eventsOf(world, 'AdapterPublished');
      const parent = decodeAdapter(await new InMemoryObjectStore(world.objects).get(key), { digest: adapterDigest });
      const expected = { parent: fakeLogProb(parent.tensors.get('w')!.data), base: fakeLogProb([]) };
      expect(expected.parent).not.toBe(expected.base);

      const second = engine.begun.find(({ beganWith }) => beganWith === adapterDigest);
      expect(second?.stepped).toHaveLength(6);
      for (const { policy, targets } of second!.stepped.flat()) {
        expect(policy?.proximalLogProbs).toEqual(targets.map(() => expected.parent));
        expect(policy?.referenceLogProbs).toEqual(targets.map(() => expected[reference]));
      }
    },
  );

  it('computes log-probabilities of the very sequences that it steps on, under the same schema and budget', async () => {
    const world = newWorld();
    const engine = new FakeEngine();
    await serve(world, { engine });
    await playRounds(world, 1);
    const [{ scored, stepped } = { scored: [], stepped: [] }] = engine.begun;
    expect(scored).toHaveLength(1);
    const distribution = ({ tokenIds, targets, schema, continuationStart, maxTokens }: ScoredSequence): string =>
      canonicalJson({ tokenIds, targets, schema, continuationStart, maxTokens });
    const known = new Set(scored[0]!.sequences.map(distribution));
    for (const sequence of stepped.flat()) {
      expect(sequence).toMatchObject({ schema: DEFAULT_ENTRY_SCHEMA, continuationStart: 3, maxTokens: 9 });
      expect(known).toContain(distribution(sequence));
    }
  });

  it('learns from an entry under the mask that its problem left it, and from an earlier one under the mask of its time', async () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { n: { enum: ['0', '1', '2'], 'x-quotes': { from: 'prompt' } } },
      required: ['n'],
      additionalProperties: false,
    };
    const masks = async (entrySchema: string): Promise<Set<string>> => {
      const world = newWorld();
      const engine = new FakeEngine();
      await serve(world, { engine, schemaFor: entrySchemas({ sums: schema, words: schema }) });
      await playRounds(world, 1, { entrySchema });
      const sequences = engine.begun.flatMap(({ scored, stepped }) => [
        ...scored.map((call) => call.sequences),
        ...stepped,
      ]);
      return new Set(sequences.flat().map((each) => JSON.stringify(each.schema?.properties)));
    };
    // "Problem 1" says 1 and nothing else.
    const now = await masks(schemaDigest(schema));
    expect(now).toContain('{"n":{"enum":["1"]}}');
    expect(now).toContain('{"n":{"enum":["2"]}}');
    const before = withoutQuoteRules(schema);
    expect(await masks(schemaDigest(before))).toEqual(new Set([JSON.stringify(before.properties)]));
  });

  it('a run that resumes from a checkpoint still forms its ratios with the weights that it began with', async () => {
    const world = newWorld();
    let deaths = 0;
    const engine = new FakeEngine((step) => {
      if (step === 3 && deaths++ === 0) throw new SeamError('SESSION_FAILED', 'the worker has ended');
    });
    await serve(world, { engine });
    await playRounds(world, 1);
    expect(engine.begun.map(({ scored }) => scored.map(({ steps }) => steps))).toEqual([[0], [0]]);
    for (const { policy, targets } of engine.begun[1]!.stepped.flat())
      expect(policy?.proximalLogProbs).toEqual(targets.map(() => fakeLogProb([])));
  });

  it('records what keeps a run from learning among its figures, and nothing where nothing does', async () => {
    const findingsOf = async (options: Parameters<typeof explored>[1]): Promise<Record<string, number>> => {
      const world = newWorld();
      await serve(world, { config: { trainEveryProblems: 16 } });
      await publish(world, 0, 16, options);
      await consumed(world);
      const [ended] = [
        ...(await eventsOf(world, 'TrainingRunCompleted')),
        ...(await eventsOf(world, 'TrainingRunRejected')),
      ];
      return Object.fromEntries(Object.entries(ended!.metrics).filter(([name]) => name.startsWith('finding.')));
    };
    expect(await findingsOf({})).toEqual({});
    expect(await findingsOf({ alike: true })).toEqual({ 'finding.no-variance': 2 });
    expect(await findingsOf({ entrySchema: 'another' })).toEqual({ 'finding.mask-mismatch': 2 });
    // The engine gives every token e⁻⁰·⁷, regardless of what is recorded: k3 of a nat is e¹ − 2.
    expect(await findingsOf({ logProb: -1.7 })).toEqual({ 'finding.mask-mismatch': 2 });
  });

  it('reaches back over rounds without variance until it holds the live groups that it wants, and no further than configured', async () => {
    const world = newWorld();
    const dynamicSampling = { liveGroups: 6, maxRounds: 3 };
    await serve(world, {
      config: { algorithms: { grpo: { batchSize: 4, window: { rounds: 1 }, dynamicSampling } } },
    });
    for (const [round, alike] of [false, false, true, true, true].entries()) {
      const served = (await eventsOf(world, 'AdapterPromoted')).at(-1)?.adapterDigest ?? null;
      await publish(world, round * 6, round * 6 + 6, { adapterDigest: served, alike });
      await consumed(world);
    }
    const runs = (await eventsOf(world, 'TrainingRunStarted'))
      .map((started) => ({ started, configuration: runConfigurationOf(started) }))
      .sort((a, b) => a.configuration.window!.index - b.configuration.window!.index);
    expect(runs.map(({ configuration }) => configuration.reason.split('; ')[1])).toEqual([
      undefined,
      undefined,
      '2 rounds replayed, for fewer held too little',
      '3 rounds replayed, for fewer held too little',
      '3 rounds replayed, for fewer held too little',
    ]);
    const results = runs.map(({ started }) =>
      started.inputs.reduce((sum, { topic, from, to }) => sum + (topic === TOPIC.outcomes ? to - from : 0), 0),
    );
    expect(results).toEqual([24, 24, 48, 72, 72]);
    const published = await eventsOf(world, 'AdapterPublished');
    const liveGroupsOf = (index: number): number | undefined =>
      published.find(({ runId }) => runId === runs[index]!.started.runId)?.metrics.liveGroups;
    expect([0, 1, 2, 3].map(liveGroupsOf)).toEqual([6, 6, 6, 6]);
    // The last one finds no live group within three rounds, and says so.
    expect(await eventsOf(world, 'TrainingRunRejected')).toMatchObject([
      { runId: runs[4]!.started.runId, reason: expect.stringContaining('no variance: only 0 of 18 groups') },
    ]);
  });

  it('two windows that come in one batch are planned one after the other', async () => {
    const world = newWorld();
    await publish(world, 0, 12);
    await serve(world);
    await consumed(world);
    const runs = await eventsOf(world, 'TrainingRunStarted');
    const promotions = await eventsOf(world, 'AdapterPromoted');
    expect(runs).toHaveLength(2);
    expect(runs.map(({ parentAdapter }) => parentAdapter).sort()).toEqual([promotions[0]!.adapterDigest, null].sort());
  });

  it('whichever of its writes fails, the same adapters come out', async () => {
    const expected = await undisturbed(2);
    expect(expected).toHaveLength(2);
    for (let failAt = 1; failAt <= 12; failAt++) {
      const world = newWorld();
      const log = await openLog(world);
      log.failAt = failAt;
      const service = await serve(world, { log });
      expect(await playRounds(world, 2)).toEqual(expected);
      expect(new Set((await eventsOf(world, 'AdapterPromoted')).map(({ meta }) => meta.messageId)).size).toBe(2);
      expect(await eventsOf(world, 'DeadLettered')).toHaveLength(0);
      expect(log.writes).toBeGreaterThanOrEqual(failAt);
      await service.close();
    }
  });

  it('resumes after a stop at any step, to the same adapter', async () => {
    const expected = await undisturbed(1);
    for (const stopAt of [0, 1, 2, 3, 4]) {
      const world = newWorld();
      let reached = false;
      const told = Promise.withResolvers<undefined>();
      const first = new FakeEngine(async (step) => {
        reached ||= step === stopAt;
        if (step === stopAt) await told.promise;
      });
      const service = await serve(world, { engine: first });
      await publish(world, 0, 6);
      await until(() => reached);
      await closeDuring(service, () => told.resolve(undefined));
      expect(await eventsOf(world, 'AdapterPublished')).toHaveLength(0);
      const second = new FakeEngine();
      await serve(world, { engine: second });
      await consumed(world);
      expect(await digests(world)).toEqual(expected);
      expect(first.steps + second.steps).toBe(6); // no step was done twice
      expect(await eventsOf(world, 'TrainingRunStarted')).toHaveLength(1);
    }
  });

  it('trains from the beginning to the same adapter when its checkpoints are lost or damaged', async () => {
    const expected = await undisturbed(1);
    for (const harm of [
      (objects: InMemoryObjects, key: string) => objects.delete(key),
      (objects: InMemoryObjects, key: string) => objects.set(key, { body: Buffer.from('{}'), etag: 'x' }),
    ]) {
      const world = newWorld();
      let steps = 0;
      const told = Promise.withResolvers<undefined>();
      const service = await serve(world, {
        engine: new FakeEngine(async () => {
          if (++steps === 5) await told.promise;
        }),
      });
      await publish(world, 0, 6);
      await until(() => steps === 5);
      await closeDuring(service, () => told.resolve(undefined));
      for (const key of [...world.objects.keys()]) if (key.startsWith('training/')) harm(world.objects, key);
      await serve(world);
      await consumed(world);
      expect(await digests(world)).toEqual(expected);
    }
  });

  it('rejects an adapter that is worse than its parent, with the measurement, and continues from the parent', async () => {
    const world = newWorld();
    await serve(world, { evaluation: new FakeEvaluation([0.6, 0.5, 0.7]) });
    await playRounds(world, 3);
    const [first, third] = await eventsOf(world, 'AdapterPromoted');
    expect(await eventsOf(world, 'TrainingRunRejected')).toMatchObject([
      { evaluation: { success: 0.5, parentSuccess: 0.6 }, reason: expect.stringContaining('50.0 %') },
    ]);
    expect(third?.parent).toBe(first?.adapterDigest);
    expect(third?.evaluation).toMatchObject({ success: 0.7, parentSuccess: 0.6 });
  });

  it('rejects an adapter whose parent was replaced while it was judged, and continues from the served adapter', async () => {
    const world = newWorld();
    const log = await openLog(world);
    const other = sha256('promoted by another run');
    class Overtaken extends FakeEvaluation {
      override async measure(...given: Parameters<FakeEvaluation['measure']>): Promise<readonly ProblemResult[]> {
        const first = this.measured.length === 0;
        const measured = await super.measure(...given);
        if (first)
          await log.append(
            [
              promotedByRun({ adapterDigest: other })[1],
              evaluatedByPerson(other),
              promotedByPerson({ messageId: 'by hand', adapterDigest: other }),
            ].map(encodeEvent),
          );
        return measured;
      }
    }
    await serve(world, { evaluation: new Overtaken([0.9]) });
    await publish(world, 0, 6);
    await until(async () => (await eventsOf(world, 'TrainingRunRejected')).length > 0);
    expect(await eventsOf(world, 'TrainingRunRejected')).toMatchObject([
      {
        reason: `overtaken: it was compared with the base model, and meanwhile adapter ${other} is served; train again from that`,
      },
    ]);
    expect(await eventsOf(world, 'AdapterPromoted')).toHaveLength(1);
    expect([...world.objects.keys()].filter((key) => key.startsWith('training/'))).toEqual([]);
  });

  it.each([
    ['the stream', 'a person'],
    ['a person', 'the stream'],
  ] as const)(
    'of two adapters decided at the same time over one parent the first in the log is served: that of %s',
    async (...order) => {
      const world = newWorld();
      const decided = new Set<string>();
      const promotions = async (): Promise<EventOf<'AdapterPromoted'>[]> => eventsOf(world, 'AdapterPromoted');
      /** A log whose promotions wait until both are decided, and then come in the given order. */
      class MeetingLog extends InMemoryEventLog {
        constructor(private readonly whose: (typeof order)[number]) {
          super({ storage: world.storage });
        }

        override async transact(transaction: Transaction): ReturnType<InMemoryEventLog['transact']> {
          if (
            transaction.records.some(
              (record) => decodeEvent({ ...record, partition: 0, offset: 0 }).type === 'AdapterPromoted',
            )
          ) {
            decided.add(this.whose);
            await until(async () => decided.size === 2 && (await promotions()).length >= order.indexOf(this.whose));
          }
          return super.transact(transaction);
        }
      }
      await publish(world, 0, 6);
      await serve(world, { log: new MeetingLog('the stream') });
      const { onDemand } = await createTrainer(
        {
          config: configOf(),
          drivers: { log: new MeetingLog('a person'), objects: new InMemoryObjectStore(world.objects) },
          logger: createServiceLogger('test', 'silent'),
          onClose: () => undefined,
        },
        { engine: new FakeEngine(), evaluation: new FakeEvaluation(), schemaFor: entrySchemas() },
      );
      const request = { algorithm: 'grpo', settings: { duration: { unit: 'steps', steps: 3 } } };
      const asked = await onDemand.handle(request, new AbortController().signal);
      await consumed(world);

      const [first, second] = await promotions();
      expect([first?.parent, second?.parent]).toEqual([null, null]);
      expect(first?.runId === asked.runId).toBe(order[0] === 'a person');
      const reason = `overtaken: it was compared with the base model, and meanwhile adapter ${first!.adapterDigest} is served; train again from that`;
      expect(asked.overtaken).toBe(order[0] === 'a person' ? null : reason);
      const history = await readTrainingHistory(await openLog(world));
      const { runs } = history;
      expect(servedAdaptersIn(history, 'generator')).toEqual([null, first!.adapterDigest]);
      expect([first, second].map((event) => runs.get(event!.runId!)?.status)).toEqual(['promoted', 'rejected']);

      await publish(world, 6, 12, { adapterDigest: first!.adapterDigest });
      await consumed(world);
      const last = (await promotions()).at(-1);
      expect(last).toMatchObject({ parent: first!.adapterDigest });
      const { slots } = await readTrainingHistory(await openLog(world));
      expect(slots.get('generator')!.served).toMatchObject({ adapterDigest: last!.adapterDigest });
    },
  );

  it('promotes only what is better beyond chance, each comparison on separate problems and with separate evidence', async () => {
    const world = newWorld();
    await serve(world, {
      evaluation: new FakeEvaluation([0.5, 0.6, 1, 1]),
      config: { promotion: { rule: 'better', risk: 0.2 } },
    });
    await playRounds(world, 4);
    expect((await eventsOf(world, 'AdapterPromoted')).map(({ evaluation }) => evaluation)).toMatchObject([
      { problems: 20, success: 0.5, parentSuccess: 0, rescued: 10, broken: 0, repeated: 0 },
      { problems: 20, success: 1, parentSuccess: 0.5, rescued: 10, broken: 0, repeated: 20 },
    ]);
    expect((await eventsOf(world, 'TrainingRunRejected')).map(({ reason }) => reason).sort()).toEqual([
      expect.stringMatching(/ 0 were solved by the candidate alone and 0 by its parent alone: evidence 1, needed 51$/),
      expect.stringMatching(
        / 2 were solved by the candidate alone and 0 by its parent alone: evidence 2\.3, needed 59$/,
      ),
    ]);
    const plans = (await eventsOf(world, 'TrainingRunStarted')).map((started) => runConfigurationOf(started).promotion);
    expect(plans.sort((a, b) => ('look' in a && 'look' in b ? a.look - b.look : 0))).toMatchObject([
      { look: 1, promoted: 0, asked: {} },
      { look: 2, promoted: 1, asked: { sums: 10, words: 10 } },
      { look: 3, promoted: 1, asked: { sums: 20, words: 20 } },
      { look: 4, promoted: 2, asked: { sums: 30, words: 30 } },
    ]);
  });

  it('does not measure a parent again whose success on the same problems is on record', async () => {
    const world = newWorld();
    const evaluation = new FakeEvaluation([0.6, 0.7]);
    await serve(world, { evaluation });
    await playRounds(world, 2);
    const [first, second] = await eventsOf(world, 'AdapterPublished').then((all) =>
      all.map(({ adapterDigest }) => adapterDigest),
    );
    expect(evaluation.measured).toEqual([first, null, second]);
  });

  it('measures a parent again where problems joined the set since its promotion, and compares on the same set', async () => {
    const world = newWorld();
    // Alone, the sums are easy. Neither adapter has seen the words that are added later.
    class GrowingSet extends FakeEvaluation {
      override async measure(adapter: Adapter | null, domains: readonly string[]): Promise<readonly ProblemResult[]> {
        const measured = await super.measure(adapter, domains);
        if (domains.length === 1) return measured;
        return measured.map((each, index) => ({ ...each, solved: each.solved && index % 3 === 0 }));
      }
    }
    const evaluation = new GrowingSet([0.9, 0.9]);
    await serve(world, { evaluation });
    const even = Array.from({ length: 6 }, (_, index) => encodeAll(explored(2 * index))).flat();
    await (await openLog(world)).append(even);
    await consumed(world);
    const [first] = await eventsOf(world, 'AdapterPromoted');
    expect(first?.evaluation).toMatchObject({ success: 0.9, problemSetDigest: sha256('sums') });
    await publish(world, 12, 18, { adapterDigest: first!.adapterDigest });
    await consumed(world);
    const judged = [...(await eventsOf(world, 'AdapterPromoted')), ...(await eventsOf(world, 'TrainingRunRejected'))];
    const second = judged.find(({ evaluation }) => evaluation?.problemSetDigest === sha256('sums,words'));
    expect(second?.evaluation).toMatchObject({ success: 0.3, parentSuccess: 0.3 });
    expect(evaluation.measured.filter((digest) => digest === first!.adapterDigest)).toHaveLength(2);
  });

  it('says in words why it cannot learn, and learns from the next window', async () => {
    const world = newWorld();
    await serve(world);
    await publish(world, 0, 6, { alike: true });
    await consumed(world);
    expect(await eventsOf(world, 'TrainingRunRejected')).toMatchObject([
      {
        adapterDigest: null,
        evaluation: null,
        reason: expect.stringContaining('no variance'),
        metrics: { deadGroups: 6 },
      },
    ]);
    await publish(world, 6, 12);
    await consumed(world);
    expect(await eventsOf(world, 'AdapterPromoted')).toHaveLength(1);
  });

  it('a run that breaks is recorded as failed with its reason, and the next window is trained', async () => {
    const world = newWorld();
    let isBroken = true;
    const engine = new FakeEngine((step) => {
      if (isBroken && step === 3) throw new SeamError('NON_FINITE', 'the loss is NaN');
    });
    await serve(world, { engine });
    await playRounds(world, 1);
    expect(await eventsOf(world, 'TrainingRunFailed')).toMatchObject([
      { code: 'NON_FINITE', reason: 'the loss is NaN' },
    ]);
    isBroken = false;
    await publish(world, 6, 12);
    await consumed(world);
    expect(await eventsOf(world, 'AdapterPromoted')).toHaveLength(1);
  });

  it('resumes from the last checkpoint when the engine dies, to the same adapter', async () => {
    const expected = await undisturbed(1);
    const world = newWorld();
    let deaths = 0;
    const engine = new FakeEngine((step) => {
      if (step === 3 && deaths++ < 2) throw new SeamError('SESSION_FAILED', 'the worker has ended');
    });
    await serve(world, { engine });
    expect(await playRounds(world, 1)).toEqual(expected);
    expect(deaths).toBe(3);
    expect(engine.steps).toBe(8); // steps 0, 1, 2, then twice 2 again after the checkpoint at 2, then on
    expect(await eventsOf(world, 'TrainingRunFailed')).toEqual([]);
    expect(await eventsOf(world, 'TrainingRunStarted')).toHaveLength(1);
  });

  it('measures again, without training again, when the engine dies while an adapter is measured', async () => {
    const world = newWorld();
    const engine = new FakeEngine();
    class DyingEvaluation extends FakeEvaluation {
      deaths = 0;

      override async measure(...parameters: Parameters<FakeEvaluation['measure']>): Promise<readonly ProblemResult[]> {
        if (this.deaths++ === 0) throw new SeamError('SESSION_FAILED', 'the worker has ended');
        return super.measure(...parameters);
      }
    }
    await serve(world, { engine, evaluation: new DyingEvaluation() });
    await playRounds(world, 1);
    expect(engine.steps).toBe(6);
    expect(await eventsOf(world, 'AdapterPublished')).toHaveLength(1);
    expect(await eventsOf(world, 'AdapterPromoted')).toHaveLength(1);
  });

  it('an engine that dies every time ends the run as failed, after as many attempts as a record has', async () => {
    const world = newWorld();
    let deaths = 0;
    const engine = new FakeEngine((step) => {
      if (step === 3) {
        deaths++;
        throw new SeamError('SESSION_FAILED', 'the worker has ended');
      }
    });
    await serve(world, { engine });
    await playRounds(world, 1);
    expect(deaths).toBe(configOf().consuming.maxAttempts);
    expect(await eventsOf(world, 'TrainingRunFailed')).toMatchObject([{ code: 'SESSION_FAILED' }]);
    expect(await eventsOf(world, 'DeadLettered')).toEqual([]);
  });

  it('verifies an adapter by doing its recorded run again, and finds one that does not come out', async () => {
    const world = newWorld();
    const service = await serve(world);
    await playRounds(world, 2);
    const before = (await openLog(world)).writes;
    const { signal } = new AbortController();
    for (const { adapterDigest, runId } of await eventsOf(world, 'AdapterPublished')) {
      expect(await (await onDemandOf(world)).verify(adapterDigest, signal)).toEqual({
        runId,
        expected: adapterDigest,
        actual: adapterDigest,
        engines: { recorded: new FakeEngine().identity, here: new FakeEngine().identity },
        comparison: { by: 'digest' },
        matches: true,
      });
    }
    expect(before).toBe(0);
    await service.close();
    class OtherEngine extends FakeEngine {
      override async begin(settings: { readonly adapter: Adapter | null }): Promise<TrainingWeights> {
        const weights = await super.begin(settings);
        return {
          ...weights,
          get steps() {
            return weights.steps;
          },
          step: (sequences, optimizer) => weights.step(sequences, { ...optimizer, learningRate: 7 }),
        };
      }
    }
    const otherwise = await onDemandOf(world, new OtherEngine());
    const [first] = await eventsOf(world, 'AdapterPublished');
    expect(await otherwise.verify(first!.adapterDigest, signal)).toMatchObject({
      matches: false,
      comparison: { by: 'digest' },
      expected: first!.adapterDigest,
    });
    await expect(otherwise.verify('unknown', signal)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it.each([
    ['within the tolerance that its engine stated', { noise: 1e-4, seed: 'again' }, true],
    ['beyond it', { noise: 0.05, seed: 'again' }, false],
  ])('compares the weights of an adapter that comes out otherwise: %s', async (_case, rounding, matches) => {
    const world = newWorld();
    const tolerance = { weights: 1e-3, change: 1e-3 };
    const service = await serve(world, { engine: new FakeEngine(undefined, { noise: 1e-4, tolerance }) });
    await playRounds(world, 2);
    await service.close();
    const { signal } = new AbortController();
    for (const { adapterDigest } of await eventsOf(world, 'AdapterPublished')) {
      const verified = await (await onDemandOf(world, new FakeEngine(undefined, rounding))).verify(
        adapterDigest,
        signal,
      );
      expect(verified).toMatchObject({ matches, expected: adapterDigest, comparison: { by: 'tolerance', tolerance } });
      expect(verified.actual).not.toBe(adapterDigest);
    }
  });

  it('compares by digest alone where a record states a tolerance that would prove nothing', async () => {
    const world = newWorld();
    const tolerance = { weights: 10, change: 10 };
    const service = await serve(world, { engine: new FakeEngine(undefined, { noise: 1e-4, tolerance }) });
    await playRounds(world, 1);
    await service.close();
    const [published] = await eventsOf(world, 'AdapterPublished');
    const again = await onDemandOf(world, new FakeEngine(undefined, { noise: 1e-4, seed: 'again' }));
    expect(await again.verify(published!.adapterDigest, new AbortController().signal)).toMatchObject({
      matches: false,
      comparison: { by: 'digest' },
    });
  });

  it('trains on demand over the newest window, once for the same request', async () => {
    const world = newWorld();
    await serve(world);
    await playRounds(world, 1);
    const { signal } = new AbortController();
    const request = { algorithm: 'grpo', settings: { duration: { unit: 'steps', steps: 3 }, window: { versions: 2 } } };
    const result = await (await onDemandOf(world)).handle(request, signal);
    expect(result.ending).toMatchObject([{ type: 'AdapterPromoted', runId: result.runId }]);
    const started = (await eventsOf(world, 'TrainingRunStarted')).find(({ runId }) => runId === result.runId);
    expect(runConfigurationOf(started!)).toMatchObject({ window: null, algorithm: { duration: { steps: 3 } } });
    await expect((await onDemandOf(world)).handle({ algorithm: 'magic' }, signal)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('grpo, rest-em, sft'),
    });
  });

  it('an algorithm that reads the buffer waits for the version that covers its window', async () => {
    const world = newWorld();
    await serve(world, {
      config: {
        algorithm: 'sft',
        algorithms: { sft: { minRows: 4, batchSize: 4, duration: { unit: 'steps', steps: 4 } } },
      },
    });
    await publish(world, 0, 6);
    const log = await openLog(world);
    await until(async () => (await log.committedOffsets('seam.trainer')).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await eventsOf(world, 'TrainingRunStarted')).toHaveLength(0);
    const ends = (await log.watermarks(TOPIC.outcomes)).map(({ partition, high }) => ({
      topic: TOPIC.outcomes,
      partition,
      from: 0,
      to: high,
    }));
    await commitVersion(
      world,
      1,
      ends.map((range) => ({ ...range, to: Math.max(0, range.to - 1) })),
    );
    const version = await commitVersion(world, 2, ends);
    await consumed(world);
    expect(await eventsOf(world, 'TrainingRunStarted')).toMatchObject([
      { algorithm: 'sft', manifestKey: version.manifestKey, manifestDigest: version.manifestDigest, inputs: ends },
    ]);
    expect(await eventsOf(world, 'AdapterPromoted')).toHaveLength(1);
  });

  it('of a buffer in shards it waits for every shard, and trains on what one buffer would have given it', async () => {
    const settings = { minRows: 4, batchSize: 4, duration: { unit: 'steps', steps: 4 } };
    const play = async (shards: number) => {
      const world = newWorld();
      const versions: EventOf<'BufferCommitted'>[] = [];
      await serve(world, { config: { algorithm: 'sft', algorithms: { sft: settings } } });
      await publish(world, 0, 6);
      const ends = (await (await openLog(world)).watermarks(TOPIC.outcomes)).map(({ partition, high }) => ({
        topic: TOPIC.outcomes,
        partition,
        from: 0,
        to: high,
      }));
      const early = ends.map((range) => ({ ...range, to: Math.max(0, range.to - 1) }));
      for (let shard = shards - 1; shard >= 0; shard--) {
        expect(await eventsOf(world, 'TrainingRunStarted')).toHaveLength(0);
        await commitVersion(world, 1, early, { shard, shards });
        versions.unshift(await commitVersion(world, 2, ends, { shard, shards }));
        await commitVersion(world, 3, ends, { shard, shards });
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      await consumed(world);
      return { world, versions };
    };
    const { world: one } = await play(1);
    const { world: three, versions } = await play(3);
    const manifests = versions.map(({ manifestKey, manifestDigest: digest }) => ({ key: manifestKey, digest }));
    const [started] = await eventsOf(three, 'TrainingRunStarted');
    expect(started).toMatchObject({ manifestKey: null, manifestDigest: null, manifests, inputs: versions[0]!.inputs });
    const [adapter] = await eventsOf(three, 'AdapterPublished');
    expect(adapter!.manifestDigest).toBe(sha256(canonicalJson(manifests.map(({ digest }) => digest))));
    const [other] = await eventsOf(one, 'AdapterPublished');
    expect([adapter!.adapterDigest, adapter!.metrics]).toEqual([other!.adapterDigest, other!.metrics]);
    expect((await eventsOf(one, 'TrainingRunStarted'))[0]).toMatchObject({ manifests: [] });
  });

  it('the curriculum imitates while few succeed and compares afterwards', async () => {
    const world = newWorld();
    const algorithms = {
      grpo: { batchSize: 4, duration: { unit: 'steps', steps: 6 } },
      sft: { minRows: 4, batchSize: 4, duration: { unit: 'steps', steps: 4 } },
    };
    const curriculum = { imitateBelow: 0.3, smoothing: 1 };
    await serve(world, { config: { algorithm: 'curriculum', curriculum, algorithms } });
    // One of four entries is right in the first round, two of four in the second.
    await publish(world, 0, 6);
    await commitVersion(world, 1, await endsOfOutcomes(world));
    await consumed(world);
    const [first] = await eventsOf(world, 'AdapterPromoted');
    await publish(world, 6, 12, { adapterDigest: first!.adapterDigest, solved: 2 });
    await consumed(world);
    const started = (await eventsOf(world, 'TrainingRunStarted')).map(({ algorithm }) => algorithm);
    expect(started.toSorted()).toEqual(['grpo', 'sft']);
    expect((await eventsOf(world, 'AdapterPublished')).find(({ parent }) => parent === null)?.algorithm).toBe('sft');
  });

  it.each([
    ['SEAM_TRAINER_ALGORITHM', 'gpro', 'did you mean grpo?'],
    ['SEAM_TRAINER_ALGORITHMS', '{"grpoo":{}}', 'did you mean grpo?'],
    ['SEAM_TRAINER_ALGORITHMS', '{"grpo":{"batchSizes":1}}', 'Unrecognized key: "batchSizes"'],
    ['SEAM_TRAINER_PRESET', 'seam-papers', 'did you mean seam-paper?'],
  ])('a wrong %s is refused by its name when the configuration is read, before any model: %s', (name, value, fault) => {
    const line = new RegExp(`^  ${name}: .*${fault.replace('?', '\\?')}`, 'm');
    expect(() => loadConfig(trainerConfigSchema, { [name]: value })).toThrow(line);
  });

  it('one changed value of the curriculum leaves the others as the preset has them', async () => {
    const world = newWorld();
    const curriculum = { measure: 'worst-domain' };
    await serve(world, { config: { preset: 'seam-paper', algorithm: 'curriculum', curriculum } });
    await playRounds(world, 1);
    const [started] = await eventsOf(world, 'TrainingRunStarted');
    expect(started!.algorithm).toBe('grpo');
    expect(runConfigurationOf(started!).reason).toContain('(worst-domain), threshold 0.0 %');
  });
});
