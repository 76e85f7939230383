import { type InMemoryEventLog, type NewRecord, partitionForKey } from '@seamstream/event-log';
import { type EventOf, encodeEvent, originMeta, type SeamEvent, TOPIC, TOPICS } from '@seamstream/events';
import { domainEntrySchema, entrySchemas } from '@seamstream/experience';
import { derivedId, Random, sha256 } from '@seamstream/kernel';
import { InMemoryObjectStore, type ObjectInfo } from '@seamstream/object-store';
import { type RunningService } from '@seamstream/service-kit';
import {
  commit,
  decodeManifest,
  decodeRows,
  initialState,
  manifestDigest,
  readVersion,
  rowsDigest,
  shardOf,
  shardsOf,
} from '@seamstream/success-buffer';
import {
  committedRecords,
  EXAMPLE_EVENTS,
  eventsOf,
  newWorld,
  openLog,
  totalRecords,
  until,
  type World,
} from '@seamstream/testing';
import { closeServices, startForTest } from '@seamstream/testing/services';
import { bufferService, bufferServiceConfigSchema, entryValidator } from './app.module.js';
import { writeVersion } from './buffer-versions.js';
import { groupOf } from './outcomes.consumer.js';

const config = bufferServiceConfigSchema.parse({
  // Only results are published here. Forged ones have a separate spec.
  evidence: 'none',
  logging: { level: 'silent' },
  consuming: { firstRetryMs: 1, maxRetryMs: 5 },
  buffer: { commitEveryProblems: 8, formats: ['parquet', 'jsonl'], maxBatchRecords: 7 },
});

const schemaFor = entrySchemas({
  sums: domainEntrySchema({
    concepts: { words: ['carry', 'borrow', 'halve'] },
    strategy: { words: ['once'] },
    pitfalls: { words: ['none'] },
  }),
  words: domainEntrySchema({
    concepts: { words: ['carry', 'borrow'] },
    strategy: { words: ['once'] },
    pitfalls: { words: ['none'] },
  }),
});

/** In three shards: the second, the first, the first, the third, the second. */
const DOMAINS = ['sums', 'words', 'words', 'fractions', 'timber'];

describe('the check of an entry', () => {
  it('distinguishes an invalid entry from one that misquotes its problem', () => {
    const validate = entryValidator(
      entrySchemas({
        sums: domainEntrySchema({
          concepts: { words: ['seven', 'eight'], quotesBetween: ['', ''] },
          strategy: { words: ['once'] },
          pitfalls: { words: ['none'] },
        }),
      }),
    );
    const entry = '{"concepts":["seven"],"strategy":["once"],"pitfalls":["none"]}';
    expect(validate('sums', entry, 'What is seven?')).toBeUndefined();
    expect(validate('sums', entry, 'What is nine?')).toEqual({
      reason: 'misquote',
      detail: 'at #/concepts/0 it quotes "seven", which is not in the problem',
    });
    expect(validate('sums', '{}', 'What is seven?')).toMatchObject({ reason: 'invalid_entry' });
  });
});

/** Results of one problem: a group of four of which some succeed, or a single control. */
function resultsOf(index: number): SeamEvent[] {
  const random = Random.of('buffer-spec', index);
  const problemId = `p-${index}`;
  const cause = derivedId(problemId, 'problem');
  if (index % 11 === 5) {
    const { meta, problem } = outcome(index, 0, 1, false, cause, problemId);
    return [{ type: 'ProblemExpired', meta, problem, expiredAt: 1 }];
  }
  const groupSize = index % 5 === 0 ? 1 : 4;
  return Array.from({ length: groupSize }, (_, candidate) => {
    const result = outcome(index, candidate, groupSize, random.float() < 0.5, cause, problemId);
    if (index % 7 !== 3 || candidate !== 1) return result;
    const { meta, problem, experienceId, groupId, candidateIndex, arm, adapterDigest } = result;
    return {
      type: 'ExecutionFailed',
      attemptId: null,
      meta,
      problem,
      experienceId,
      groupId,
      candidateIndex,
      groupSize,
      arm,
      adapterDigest,
      code: 'SESSION_FAILED',
      reason: 'down',
      attempts: 3,
    };
  });
}

function outcome(
  index: number,
  candidate: number,
  groupSize: number,
  success: boolean,
  cause: string,
  problemId: string,
): EventOf<'OutcomeRecorded'> {
  const experienceId = derivedId(cause, 'experience', candidate);
  const entry =
    groupSize === 1
      ? null
      : `{"concepts":["${['carry', 'borrow', 'halve'][(index + candidate) % 3]}"],"strategy":["once"],"pitfalls":["none"]}`;
  return {
    ...EXAMPLE_EVENTS.OutcomeRecorded,
    meta: {
      ...originMeta({
        messageId: derivedId(experienceId, 'outcome'),
        correlationId: problemId,
        source: 'seam/executor',
        occurredAt: 1_700_000_000_000,
        sourceClass: 'model',
        subject: index % 2 === 0 ? 'ada' : null,
      }),
      causationId: experienceId,
    },
    problem: {
      problemId,
      domain: DOMAINS[index % DOMAINS.length]!,
      prompt: `Problem number ${index} of ${sha256(String(index))}`,
      reference: '4',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    experienceId,
    groupId: cause,
    candidateIndex: candidate,
    groupSize,
    arm: groupSize === 1 ? 'control' : 'explore',
    entry,
    promptTokenIds: [1, 2, 3],
    tokenIds: entry === null ? [] : [4, 5, 6],
    forced: entry === null ? [] : [true, false, true],
    baseModelDigest: entry === null ? null : 'base',
    adapterDigest: null,
    success,
    reward: success ? 1 : 0,
  };
}

async function append(world: World, from: number, to: number): Promise<void> {
  const records: NewRecord[] = [];
  for (let index = from; index < to; index++) records.push(...resultsOf(index).map(encodeEvent));
  await (await openLog(world)).append(records);
}

function serve(
  world: World,
  log: InMemoryEventLog,
  objects = new InMemoryObjectStore(world.objects),
  shards = 1,
  rules = config.buffer.rules,
  maxSnapshotAgeMs = config.buffer.maxSnapshotAgeMs,
): Promise<RunningService> {
  const buffer = { ...config.buffer, shards, rules, maxSnapshotAgeMs };
  return startForTest(bufferService({ schemaFor }), { config: { ...config, buffer }, log, objects });
}

async function isConsumed(log: InMemoryEventLog, shards: number): Promise<boolean> {
  const end = await totalRecords(log, TOPIC.outcomes);
  const committed = await Promise.all(shardsOf(shards).map((shard) => committedRecords(log, groupOf(shard))));
  return committed.every((records) => records === end);
}

const isSnapshot = (key: string): boolean => /^buffer\/snapshots\/[^/]+\.bin$/.test(key);

/** Rounds of eight problems, each published when the one before is consumed, as the embedded loop does it. */
async function playRounds(
  world: World,
  rounds: number,
  between: (round: number) => Promise<void> = async () => undefined,
  shards = 1,
): Promise<string[]> {
  const reader = await openLog(world);
  for (let round = 0; round < rounds; round++) {
    await append(world, round * 8, round * 8 + 8);
    await between(round);
    await until(() => isConsumed(reader, shards));
  }
  return (await eventsOf(reader, 'BufferCommitted'))
    .sort((a, b) => a.sequence - b.sequence || a.shard - b.shard)
    .map(({ bufferDigest, manifestDigest: manifest }) => `${bufferDigest} ${manifest}`);
}

async function playRoundsFrom(world: World, from: number, to: number): Promise<void> {
  const reader = await openLog(world);
  for (let round = from; round < to; round++) {
    await append(world, round * 8, round * 8 + 8);
    await until(() => isConsumed(reader, 1));
  }
}

/** Shares the partition of the versions. */
const fillerRecord: NewRecord = {
  topic: TOPIC.buffer,
  key: null,
  partition: partitionForKey('commits', TOPICS.find(({ name }) => name === TOPIC.buffer)!.partitions),
  value: null,
};

async function undisturbed(rounds: number): Promise<{ readonly versions: string[]; readonly world: World }> {
  const world = newWorld();
  await serve(world, await openLog(world));
  return { versions: await playRounds(world, rounds), world };
}

describe('the buffer service', () => {
  it('commits a version after every eighth completed problem, readable in full from the object store', async () => {
    const { world } = await undisturbed(3);
    const log = await openLog(world);
    const versions = await eventsOf(log, 'BufferCommitted');
    expect(versions.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3]);
    const last = versions.find(({ sequence }) => sequence === 3)!;
    const objects = new InMemoryObjectStore(world.objects);
    const manifest = decodeManifest(await objects.get(last.manifestKey));
    expect(manifestDigest(manifest)).toBe(last.manifestDigest);
    const folder = last.manifestKey.replace(/manifest\.json$/, '');
    expect(manifest.files.map(({ key }) => key.slice(folder.length))).toEqual([
      ...Object.keys(last.rowsPerStratum).map((stratum) => {
        const [domain, difficulty] = stratum.split('/');
        return `domain=${domain}/difficulty=${difficulty}/part-00000.parquet`;
      }),
      'rows.jsonl',
    ]);
    const rows = await readVersion(manifest, (key) => objects.get(key));
    expect(rows).toHaveLength(last.rows);
    expect(await decodeRows(await objects.get(`${folder}rows.jsonl`))).toEqual(rows);
    expect(rowsDigest(rows)).toBe(last.bufferDigest);
    expect(last.rows).toBeGreaterThan(5);
    const ends = (await log.watermarks(TOPIC.outcomes)).map(({ partition, high }) => ({
      topic: TOPIC.outcomes,
      partition,
      from: 0,
      to: high,
    }));
    expect(last.inputs).toEqual(ends);
  });

  it('says of every success why it is in or out, and whose data it is', async () => {
    const { world } = await undisturbed(3);
    const log = await openLog(world);
    const admitted = await eventsOf(log, 'SuccessAdmitted');
    const rejected = await eventsOf(log, 'SuccessRejected');
    const displaced = rejected.filter(({ reason }) => reason === 'displaced').length;
    const last = (await eventsOf(log, 'BufferCommitted')).find(({ sequence }) => sequence === 3)!;
    expect(admitted.length - displaced).toBe(last.rows);
    for (const event of [...admitted, ...rejected]) {
      const index = Number(event.problemId.slice(2));
      expect(event.meta).toMatchObject({
        causationId: event.outcomeId,
        correlationId: event.problemId,
        subject: index % 2 === 0 ? 'ada' : null,
      });
    }
    const messageIds = [...admitted, ...rejected].map(({ meta }) => meta.messageId);
    expect(new Set(messageIds).size).toBe(messageIds.length);
  });

  it('restarted in the middle of every round it commits the same versions as undisturbed', async () => {
    const { versions } = await undisturbed(4);
    const world = newWorld();
    let service = await serve(world, await openLog(world));
    const disturbed = await playRounds(world, 4, async () => {
      await new Promise((resolve) => setTimeout(resolve, 3));
      await service.close();
      service = await serve(world, await openLog(world));
    });
    expect(disturbed).toEqual(versions);
  });

  it('with failing transactions its memory follows what was committed: the same versions come out', async () => {
    const { versions } = await undisturbed(4);
    const world = newWorld();
    const log = await openLog(world);
    log.failEvery = 3;
    await serve(world, log);
    expect(await playRounds(world, 4)).toEqual(versions);
  });

  it('writes a snapshot when as much was read as the last one holds, and continues from it without earlier records', async () => {
    const { versions, world: whole } = await undisturbed(9);
    const snapshots = [...whole.objects.keys()].filter(isSnapshot).sort();
    expect(snapshots.map((key) => key.split('/')[2]?.slice(0, 6))).toEqual(['000001', '000002', '000005']);
    const outcomes = await totalRecords(await openLog(whole), TOPIC.outcomes);

    const world = newWorld();
    const first = await serve(world, await openLog(world));
    await playRounds(world, 7);
    await first.close();
    // Version 7 names the snapshot of version 5: others are not needed.
    for (const key of [...world.objects.keys()])
      if (isSnapshot(key) && !key.startsWith('buffer/snapshots/000005-')) world.objects.delete(key);
    const log = await openLog(world);
    await serve(world, log);
    await playRoundsFrom(world, 7, 9);
    const made = (await eventsOf(log, 'BufferCommitted')).sort((a, b) => a.sequence - b.sequence);
    expect(made.map(({ bufferDigest, manifestDigest: manifest }) => `${bufferDigest} ${manifest}`)).toEqual(versions);
    expect(log.readOf(TOPIC.outcomes)).toBeGreaterThan(0);
    expect(log.readOf(TOPIC.outcomes)).toBeLessThan(outcomes / 2);
  });

  it('needs the last version and its snapshot alone, and of lost snapshots falls back to the one before', async () => {
    const { versions } = await undisturbed(9);
    for (const lost of ['older versions', 'the newest snapshot']) {
      const world = newWorld();
      const first = await serve(world, await openLog(world));
      await playRounds(world, 7);
      await first.close();
      for (const key of [...world.objects.keys()]) {
        const isOld = /^buffer\/00000[1-6]-/.test(key);
        if (lost === 'older versions' ? isOld : key.startsWith('buffer/snapshots/000005-')) world.objects.delete(key);
      }
      const log = await openLog(world);
      await serve(world, log);
      await playRoundsFrom(world, 7, 9);
      const made = (await eventsOf(log, 'BufferCommitted')).sort((a, b) => a.sequence - b.sequence);
      expect(made.map(({ bufferDigest, manifestDigest: manifest }) => `${bufferDigest} ${manifest}`)).toEqual(versions);
    }
  });

  it('continues where the entry schemas have changed, and says with the next version what they change', async () => {
    const world = newWorld();
    const strict = entrySchemas({
      ...Object.fromEntries(
        ['sums', 'words'].map((domain) => [
          domain,
          domainEntrySchema({
            concepts: { words: ['carry'] },
            strategy: { words: ['once'] },
            pitfalls: { words: ['none'] },
          }),
        ]),
      ),
    });
    const start = async (schemas: typeof schemaFor): Promise<RunningService> =>
      startForTest(bufferService({ schemaFor: schemas }), {
        config,
        log: await openLog(world),
        objects: new InMemoryObjectStore(world.objects),
      });
    const first = await start(strict);
    await playRounds(world, 3);
    await first.close();
    // The third version has no separate snapshot.
    expect([...world.objects.keys()].filter(isSnapshot)).toHaveLength(2);
    await start(schemaFor);
    await playRoundsFrom(world, 3, 4);
    const { versions } = await undisturbed(4);
    const log = await openLog(world);
    const made = (await eventsOf(log, 'BufferCommitted')).sort((a, b) => a.sequence - b.sequence);
    expect(made.at(-1)!.bufferDigest).toBe(versions.at(-1)!.split(' ')[0]);
    const admitted = (await eventsOf(log, 'SuccessAdmitted')).map(({ outcomeId }) => outcomeId);
    expect(new Set(admitted).size).toBe(admitted.length);
    expect(admitted.length).toBeGreaterThanOrEqual(made.at(-1)!.rows);
  });

  it('writes a snapshot with every version where it may not grow older, and with the first one under other rules', async () => {
    const { rules } = config.buffer;
    const snapshotsOf = ({ objects }: World): number => [...objects.keys()].filter(isSnapshot).length;
    const world = newWorld();
    const service = await serve(world, await openLog(world), undefined, 1, rules, 1);
    await playRounds(world, 4);
    await service.close();
    expect(snapshotsOf(world)).toBe(4);
    await serve(world, await openLog(world), undefined, 1, { ...rules, capacityPerStratum: 3 });
    await playRoundsFrom(world, 4, 6);
    expect(snapshotsOf(world)).toBe(5);
  });

  it('without its snapshots it makes every version again from the log and continues as before', async () => {
    const { versions } = await undisturbed(4);
    const world = newWorld();
    const first = await serve(world, await openLog(world));
    await playRounds(world, 2);
    await first.close();
    for (const key of [...world.objects.keys()]) if (isSnapshot(key)) world.objects.delete(key);
    await serve(world, await openLog(world));
    await playRoundsFrom(world, 2, 4);
    const made = (await eventsOf(await openLog(world), 'BufferCommitted')).sort((a, b) => a.sequence - b.sequence);
    expect(made.map(({ bufferDigest, manifestDigest: manifest }) => `${bufferDigest} ${manifest}`)).toEqual(versions);
  });

  it('without its snapshots it makes every version by the rules that were in force, and the next by those of today', async () => {
    const world = newWorld();
    const { rules } = config.buffer;
    const strict = { ...rules, lengths: { ...rules.lengths, maxEntryTokens: 2 } };
    for (const [round, inForce] of [rules, strict, strict, rules].entries()) {
      for (const key of [...world.objects.keys()]) if (isSnapshot(key)) world.objects.delete(key);
      const service = await serve(world, await openLog(world), undefined, 1, inForce);
      await playRoundsFrom(world, round, round + 1);
      await service.close();
    }
    const made = (await eventsOf(await openLog(world), 'BufferCommitted')).sort((a, b) => a.sequence - b.sequence);
    expect(made.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(made.map(({ rows }) => rows > 0)).toEqual([true, false, false, true]);
    const { versions } = await undisturbed(4);
    expect(made.at(-1)!.bufferDigest).toBe(versions.at(-1)!.split(' ')[0]);
  });

  it('restarted, it reads the end of its topic and no more, however long that is', async () => {
    const { world } = await undisturbed(2);
    const log = await openLog(world);
    await log.append(Array.from({ length: 30_000 }, () => fillerRecord));
    await playRoundsFrom(world, 2, 3);
    await closeServices();
    const afterwards = await openLog(world);
    await serve(world, afterwards);
    await playRoundsFrom(world, 3, 4);
    expect(await eventsOf(log, 'BufferCommitted')).toHaveLength(4);
    expect(afterwards.readOf(TOPIC.buffer)).toBeLessThan(3_000);
  });

  it('ends, and gives up no outcome, when it is started with other objects than those of its versions', async () => {
    const { world } = await undisturbed(2);
    await closeServices();
    const elsewhere: World = { storage: world.storage, objects: new Map() };
    const service = await serve(elsewhere, await openLog(elsewhere));
    const ended = service.ended.catch((error: unknown) => error);
    await append(world, 16, 24);
    expect(await ended).toMatchObject({
      code: 'OBJECT_NOT_FOUND',
      message: expect.stringContaining('Restoring shard'),
    });
    const log = await openLog(world);
    expect(await isConsumed(log, 1)).toBe(false);
    const deadLetters = await log.watermarks(TOPIC.deadLetters);
    expect(deadLetters.map(({ high }) => high)).toEqual(deadLetters.map(() => 0));
  });

  it('R26: does not believe a listing: objects that it omits or names twice change nothing', async () => {
    const { versions } = await undisturbed(3);
    class ForgetfulObjectStore extends InMemoryObjectStore {
      override async *list(prefix: string): AsyncIterable<ObjectInfo> {
        const all: ObjectInfo[] = [];
        for await (const info of super.list(prefix)) all.push(info);
        for (const info of all.slice(0, -2)) yield* [info, info];
      }
    }
    const world = newWorld();
    await serve(world, await openLog(world), new ForgetfulObjectStore(world.objects));
    expect(await playRounds(world, 3)).toEqual(versions);
  });

  it('never replaces a version: one that is there already is found, another one under its key is a conflict', async () => {
    const { world, versions } = await undisturbed(2);
    const again = newWorld();
    for (const [key, object] of world.objects)
      if (!isSnapshot(key) && !key.endsWith('/resume.json')) again.objects.set(key, object);
    const before = new Map(again.objects);
    await serve(again, await openLog(again));
    expect(await playRounds(again, 2)).toEqual(versions);
    for (const [key, object] of before) expect(again.objects.get(key)).toBe(object);
  });

  it('does not take the place of another writer’s version', async () => {
    const version = commit(initialState(config.buffer.rules), { validateEntry: () => undefined });
    const { rules, formats } = config.buffer;
    const options = { inputs: [], refused: [], config: rules, formats };
    const objects = new InMemoryObjectStore();
    const { manifestKey } = await writeVersion(objects, version, options);
    await expect(writeVersion(objects, version, options)).resolves.toMatchObject({ manifestKey });
    await objects.put(manifestKey, new TextEncoder().encode('of something else'));
    await expect(writeVersion(objects, version, options)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { key: manifestKey },
    });
  });

  it('folds a redelivered record once: duplicates in the log change no row', async () => {
    const { world } = await undisturbed(1);
    const [version] = await eventsOf(await openLog(world), 'BufferCommitted');
    const again = newWorld();
    const records = Array.from({ length: 8 }, (_, index) => resultsOf(index))
      .flat()
      .map(encodeEvent);
    const doubled = records.flatMap((record, index) => (index < records.length - 1 ? [record, record] : [record]));
    await serve(again, await openLog(again));
    await (await openLog(again)).append(doubled);
    const log = await openLog(again);
    await until(() => isConsumed(log, 1));
    const versions = await eventsOf(log, 'BufferCommitted');
    expect(versions.map(({ bufferDigest }) => bufferDigest)).toContain(version?.bufferDigest);
  });

  it('a second instance stands by and takes over where the first one stopped', async () => {
    const { versions } = await undisturbed(4);
    const world = newWorld();
    const first = await serve(world, await openLog(world));
    await serve(world, await openLog(world));
    const made = await playRounds(world, 4, async (round) => {
      if (round === 2) await first.close();
    });
    expect(made).toEqual(versions);
  });
});

describe('the buffer service in three shards', () => {
  const SHARDS = 3;
  const ROUNDS = 4;
  const versionsOf = async (world: World) =>
    Promise.all(
      (await eventsOf(await openLog(world), 'BufferCommitted')).map(async (version) => {
        const objects = new InMemoryObjectStore(world.objects);
        const manifest = decodeManifest(await objects.get(version.manifestKey));
        return { version, manifest, rows: await readVersion(manifest, (key) => objects.get(key)) };
      }),
    );
  const rowsAt = (versions: Awaited<ReturnType<typeof versionsOf>>, sequence: number) =>
    versions
      .filter(({ version }) => version.sequence === sequence)
      .flatMap(({ rows }) => rows)
      .sort((a, b) => (a.outcomeId < b.outcomeId ? -1 : 1));
  const idsOf = async (world: World, type: 'SuccessAdmitted' | 'SuccessRejected') =>
    (await eventsOf(await openLog(world), type)).map(({ meta }) => meta.messageId).sort();

  async function divided(instances: number): Promise<{ world: World; services: RunningService[] }> {
    const world = newWorld();
    const services = [];
    for (let instance = 0; instance < instances; instance++)
      services.push(await serve(world, await openLog(world), undefined, SHARDS));
    return { world, services };
  }

  it('keeps and announces what one buffer does, and each version is of whole domains', async () => {
    const whole = await undisturbed(ROUNDS);
    const { world } = await divided(3);
    await playRounds(world, ROUNDS, undefined, SHARDS);
    const [one, three] = [await versionsOf(whole.world), await versionsOf(world)];
    expect(three).toHaveLength(ROUNDS * SHARDS);
    for (let sequence = 1; sequence <= ROUNDS; sequence++) {
      expect(rowsAt(three, sequence)).toEqual(rowsAt(one, sequence));
      const cuts = three.filter(({ version }) => version.sequence === sequence).map(({ version }) => version.inputs);
      expect(cuts).toEqual(cuts.map(() => one.find(({ version }) => version.sequence === sequence)!.version.inputs));
    }
    for (const { version, manifest, rows } of three) {
      expect(manifest.shard).toEqual({ index: version.shard, of: SHARDS });
      expect(version.manifestKey).toMatch(`buffer/${version.shard}of3/00000${version.sequence}-`);
      expect(rows.filter(({ domain }) => shardOf(domain, SHARDS) !== version.shard)).toEqual([]);
    }
    for (const type of ['SuccessAdmitted', 'SuccessRejected'] as const)
      expect(await idsOf(world, type)).toEqual(await idsOf(whole.world, type));
  });

  it('works in any number of instances, and continues without one that ended: the versions are the same', async () => {
    const alone = await divided(1);
    const versions = await playRounds(alone.world, ROUNDS, undefined, SHARDS);
    const { world, services } = await divided(3);
    const made = await playRounds(
      world,
      ROUNDS,
      async (round) => {
        if (round === 1) await services[1]!.close();
        if (round === 2) await services[0]!.close();
        if (round === 3) await serve(world, await openLog(world), undefined, SHARDS);
      },
      SHARDS,
    );
    expect(made).toEqual(versions);
    for (const type of ['SuccessAdmitted', 'SuccessRejected'] as const)
      expect(await idsOf(world, type)).toEqual(await idsOf(alone.world, type));
  });

  it('is refused on a log whose buffer was divided otherwise, and so is the other way round', async () => {
    const { world } = await undisturbed(1);
    await expect(serve(world, await openLog(world), undefined, SHARDS)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/Set SEAM_BUFFER_SHARDS to 1, or copy the log with "seam replay copy --done"/),
      details: { shards: 3, found: 1 },
    });
    const other = await divided(1);
    await playRounds(other.world, 1, undefined, SHARDS);
    await expect(serve(other.world, await openLog(other.world))).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { shards: 1, found: 3 },
    });
  });

  it('is noticed by the next version of a buffer that was at work already, and by every restart', async () => {
    const other = await divided(1);
    await playRounds(other.world, 1, undefined, SHARDS);
    const foreign = encodeEvent((await eventsOf(await openLog(other.world), 'BufferCommitted'))[0]!);
    const world = newWorld();
    const log = await openLog(world);
    // Between the check of the others' versions and the commit, where no check can rule it out.
    log.beforeCommit = async (records) => {
      if (!records.some(({ key }) => key === 'commits')) return;
      log.beforeCommit = async () => undefined;
      await log.append([foreign, ...Array.from({ length: 2_000 }, () => fillerRecord)]);
    };
    const service = await serve(world, log);
    const ended = service.ended.catch((error: unknown) => error);
    await playRounds(world, 1);
    // From the end backwards, this buffer's own version comes first.
    expect((await eventsOf(log, 'BufferCommitted')).map(({ shards }) => shards)).toEqual([SHARDS, 1]);
    const restarted = await serve(world, await openLog(world));
    await append(world, 8, 16);
    expect(await ended).toMatchObject({ code: 'CONFLICT', details: { found: SHARDS } });
    await service.close();
    expect(await restarted.ended.catch((error: unknown) => error)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('got one of 3'),
    });
    expect(await isConsumed(log, 1)).toBe(false);
  });

  it('ends, and gives up no outcome, when it goes back to the log and finds another division there', async () => {
    const world = newWorld();
    const log = await openLog(world);
    // The other one is always first.
    log.beforeCommit = () => until(() => isConsumed(log, 1));
    const service = await serve(world, log, undefined, SHARDS);
    const other = await serve(world, await openLog(world));
    const ended = service.ended.catch((error: unknown) => error);
    await playRounds(world, 1);
    await other.close();
    log.beforeCommit = async () => undefined;
    log.failEvery = 1;
    await append(world, 8, 16);
    expect(await ended).toMatchObject({ code: 'CONFLICT' });
    const deadLetters = await (await openLog(world)).watermarks(TOPIC.deadLetters);
    expect(deadLetters.map(({ high }) => high)).toEqual(deadLetters.map(() => 0));
  });
});
