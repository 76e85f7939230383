/** After a rollback on the embedded log a generator writes with the last good adapter: how long that takes, from the operation's start. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { encodeEvent, TOPICS } from '@seamstream/events';
import { domainEntrySchema, entrySchemas } from '@seamstream/experience';
import { generatorConfigSchema, generatorService } from '@seamstream/generator';
import { ManualClock, SeamError, sha256 } from '@seamstream/kernel';
import { type Adapter, createAdapter, encodeAdapter } from '@seamstream/language-model';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { type AdapterWorld, decideOnAdapter } from '@seamstream/operations/adapters';
import { FakeGenerator, fakeTokenizer } from '@seamstream/rollout/testing';
import { TRUST_ALL } from '@seamstream/signatures';
import { eventsOf, until } from '@seamstream/testing';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { publicationOf } from '@seamstream/testing/result-log';
import { closeServices, startForTest } from '@seamstream/testing/services';

/** The bar is a second on a machine that does nothing else (docs/experiments/LOG.md); with others on two cores it may take longer. */
const WITHIN_MS = 5_000;

it('a rollback is in force with the next problem, and the last good adapter writes its entry within seconds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollback-'));
  const log = await LmdbEventLog.open({ folder });
  const objects = new InMemoryObjectStore();
  try {
    await log.createTopics(TOPICS);
    await startForTest(generatorService({ model, schemaFor }), { config: CONFIG, log, objects });
    const good = adapterOf('good');
    await promote(log, objects, good, null);
    const took: number[] = [];
    for (const round of [1, 2, 3]) {
      const bad = adapterOf(`bad-${round}`);
      await promote(log, objects, bad, good.digest);
      expect(await writerOf(log, `before-${round}`)).toBe(bad.digest);
      const startedAt = performance.now();
      const { served } = await decideOnAdapter(worldOn(log, objects), { act: 'rollBack' }, ACT, READING);
      expect(served).toBe(good.digest);
      expect(await writerOf(log, `after-${round}`)).toBe(good.digest);
      took.push(performance.now() - startedAt);
    }
    expect(Math.max(...took)).toBeLessThan(WITHIN_MS);
  } finally {
    await closeServices();
    await log.close();
    await rm(folder, { recursive: true });
  }
}, 60_000);

const ACT = { by: 'ada', reason: 'success fell' };
const READING = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};
const CONFIG = generatorConfigSchema.parse({
  logging: { level: 'silent' },
  consuming: { shutdownGraceMs: 500 },
  generator: { controlShare: 0 },
});
const WORDS = { words: ['carry', 'borrow'] };
const schemaFor = entrySchemas({ sums: domainEntrySchema({ concepts: WORDS, strategy: WORDS, pitfalls: WORDS }) });

class ProvenGenerator extends FakeGenerator {
  async fingerprint(adapter?: Adapter): Promise<string> {
    return sha256('probe', adapter?.digest ?? 'base');
  }
}
const model = new ProvenGenerator(fakeTokenizer(['How many? carry borrow concepts strategy pitfalls']));

function adapterOf(name: string): Adapter {
  const tensors = new Map([[name, { shape: [1], data: Float32Array.of(1) }]]);
  return createAdapter({ kind: 'full', settings: { kind: 'full' }, baseModelDigest: model.digest, tensors });
}

/** As a run does: published, measured, promoted. */
async function promote(log: LmdbEventLog, objects: InMemoryObjectStore, adapter: Adapter, parent: string | null) {
  const key = `adapters/${adapter.digest}.safetensors`;
  await objects.put(key, encodeAdapter(adapter));
  const fingerprint = await model.fingerprint(adapter);
  const events = promotedByRun({ adapterDigest: adapter.digest, key, fingerprint, parent, success: 0.6 }).map(
    (event) => ('baseModelDigest' in event ? { ...event, baseModelDigest: model.digest } : event),
  );
  await log.append(events.map(encodeEvent));
}

/** Digest of the adapter that writes the entry of a problem that is published now. */
async function writerOf(log: LmdbEventLog, problemId: string): Promise<string | null> {
  const verifier = { kind: 'exact', version: '1', options: {} };
  const problem = { problemId, domain: 'sums', prompt: 'How many?', reference: '4', metadata: {}, verifier };
  await log.append([encodeEvent(publicationOf(problem))]);
  const written = async () =>
    (await eventsOf(log, 'ExperienceGenerated')).filter((event) => event.problem.problemId === problemId);
  await until(async () => (await written()).length > 0, `an entry of ${problemId}`);
  return (await written())[0]!.adapterDigest;
}

function worldOn(log: LmdbEventLog, objects: InMemoryObjectStore): AdapterWorld {
  return {
    clock: new ManualClock(5_000),
    signal: READING.signal,
    openLog: () => Promise.resolve(log),
    openKeptLog: () => Promise.resolve({ log, snapshots: null }),
    openObjects: () => Promise.resolve(objects),
    readInput: () => Promise.reject(new Error('no file is read')),
    openBaseModel: () => Promise.reject(new SeamError('CHECKPOINT_INVALID', 'There is no base model here.')),
    signing: () => Promise.resolve({ key: null, trust: TRUST_ALL }),
  };
}
