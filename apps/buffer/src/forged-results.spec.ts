/** A thousand forged results among true ones: none counts, each is reported, and a restart reports the same. */

import { encodeEvent, type Problem, type SeamEvent, TOPIC } from '@seamstream/events';
import { domainEntrySchema, entrySchemas } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { type RunningService } from '@seamstream/service-kit';
import { decodeManifest, readVersion } from '@seamstream/success-buffer';
import { eventsOf, newWorld, openLog, untilConsumed, type World } from '@seamstream/testing';
import { explored, FORGERIES } from '@seamstream/testing/result-log';
import { startForTest } from '@seamstream/testing/services';
import { bufferService, bufferServiceConfigSchema } from './app.module.js';

const FORGED = 1000;
const PROBLEMS = 64;
const words = Array.from({ length: 64 }, (_, index) => `w${index}`);
const schemaFor = entrySchemas({
  sums: domainEntrySchema({ concepts: { words }, strategy: { words: ['once'] }, pitfalls: { words: ['none'] } }),
});
const config = bufferServiceConfigSchema.parse({
  logging: { level: 'silent' },
  buffer: { commitEveryProblems: 16, maxBatchRecords: 50, rules: { nearDuplicates: { scope: 'off' } } },
});
const problemOf = (index: number): Problem => ({
  problemId: `p-${index}`,
  domain: 'sums',
  prompt: `What is ${index} of many?`,
  reference: '4',
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: {},
});
const problems = Array.from({ length: PROBLEMS }, (_, index) =>
  explored(problemOf(index), {
    solved: [index % 4, (index + 1) % 4],
    // Of every second one the content is named, with the place that it had in another log.
    ...(index % 2 === 0 ? {} : { namedAt: { partition: index % 4, offset: index } }),
    entryOf: (candidate) =>
      `{"concepts":["${words[(index + candidate) % words.length]!}"],"strategy":["once"],"pitfalls":["none"]}`,
  }),
);
const names = Object.keys(FORGERIES);
const forgedOf = (at: number): SeamEvent => {
  const { outcomes } = problems[at % PROBLEMS]!;
  const own = outcomes[at % outcomes.length]!;
  // What was not solved is made a success: that is what forging is for.
  const success = { ...own, success: true, reward: 1 };
  return FORGERIES[names[at % names.length]!]!(success, problems[(at + 1) % PROBLEMS]!.outcomes[0]!);
};

/** The service of the world that is played. */
let buffer: RunningService;

async function serve(world: World): Promise<void> {
  const objects = new InMemoryObjectStore(world.objects);
  buffer = await startForTest(bufferService({ schemaFor }), { config, log: await openLog(world), objects });
}

const settled = async (world: World): Promise<void> =>
  untilConsumed(await openLog(world), { group: 'seam.buffer', topic: TOPIC.outcomes });

/** Rows of the last version. */
async function rowsOf(world: World): Promise<readonly string[]> {
  const last = (await eventsOf(await openLog(world), 'BufferCommitted'))
    .sort((a, b) => a.sequence - b.sequence)
    .at(-1)!;
  const objects = new InMemoryObjectStore(world.objects);
  const rows = await readVersion(decodeManifest(await objects.get(last.manifestKey)), (key) => objects.get(key));
  return rows.map(({ outcomeId }) => outcomeId);
}

async function played(
  forged: number,
  between: (world: World) => Promise<void> = async () => undefined,
): Promise<World> {
  const world = newWorld();
  const log = await openLog(world);
  await log.append(problems.flatMap(({ published, experiences }) => [published, ...experiences]).map(encodeEvent));
  await serve(world);
  for (let part = 0; part < 4; part++) {
    const own = problems.slice(part * 16, part * 16 + 16).flatMap(({ outcomes }): SeamEvent[] => [...outcomes]);
    const others = Array.from({ length: forged / 4 }, (_, at) => forgedOf((part * forged) / 4 + at));
    await log.append(
      Random.of('mixed', part)
        .shuffled([...own, ...others])
        .map(encodeEvent),
    );
    await settled(world);
    await between(world);
  }
  return world;
}

it('of a thousand forged results none counts and each is reported, also with restarts in between', async () => {
  const honest = await rowsOf(await played(0));
  expect(honest).toHaveLength(100); // the cap of results without a subject: 128 successes
  const world = await played(FORGED);
  expect([...(await rowsOf(world))].sort()).toEqual([...honest].sort());
  const told = await eventsOf(await openLog(world), 'ResultRefused');
  expect(told).toHaveLength(FORGED);
  expect(new Set(told.map(({ partition, offset }) => `${partition}/${offset}`)).size).toBe(FORGED);
  expect(new Set(told.map(({ reason }) => reason)).size).toBeGreaterThanOrEqual(3);
  expect(await buffer.metrics.registry.getSingleMetricAsString('seam_results_refused_total')).toContain(
    'seam_results_refused_total{',
  );
  // Restarted after each part, with and without the files from which restarts continue.
  for (const isLost of [() => false, (key: string) => /resume\.json$|snapshots\//.test(key)]) {
    const restarted = await played(200, async (each) => {
      await buffer.close();
      for (const key of [...each.objects.keys()]) if (isLost(key)) each.objects.delete(key);
      await serve(each);
    });
    expect([...(await rowsOf(restarted))].sort()).toEqual([...honest].sort());
    expect(await eventsOf(await openLog(restarted), 'ResultRefused')).toHaveLength(200);
    const digests = async (each: World): Promise<readonly string[]> =>
      (await eventsOf(await openLog(each), 'BufferCommitted'))
        .sort((a, b) => a.sequence - b.sequence)
        .map((one) => one.bufferDigest);
    expect(await digests(restarted)).toEqual(await digests(world));
  }
});

it('of two verdicts on one experience the first counts, and the second is reported', async () => {
  const world = newWorld();
  const log = await openLog(world);
  const [{ published, experiences, outcomes }] = problems as [(typeof problems)[number]];
  const second = outcomes.map((each) => ({ ...each, success: !each.success, reward: each.success ? 0 : 1 }));
  await log.append([published, ...experiences, ...outcomes, ...second, ...outcomes].map(encodeEvent));
  await serve(world);
  await settled(world);
  expect((await eventsOf(await openLog(world), 'ResultRefused')).map(({ reason }) => reason)).toEqual(
    Array.from({ length: 4 }, () => 'told_otherwise'),
  );
});

it('continues when a forged result claims ids that leave no room for its refusal', async () => {
  const world = newWorld();
  const log = await openLog(world);
  const [{ published, experiences, outcomes }] = problems as [(typeof problems)[number]];
  const [own] = outcomes as [(typeof outcomes)[number]];
  const long = 'x'.repeat(480_000);
  const claims: readonly SeamEvent[] = [
    { ...own, meta: { ...own.meta, messageId: long } },
    { ...own, meta: { ...own.meta, correlationId: long } },
    { ...own, experienceId: long },
    { ...own, adapterDigest: long },
    { ...own, problem: { ...own.problem, problemId: 'y'.repeat(240_000) } },
  ];
  await log.append([published, ...experiences, ...claims, ...outcomes].map(encodeEvent));
  await serve(world);
  await settled(world);
  const told = await eventsOf(await openLog(world), 'ResultRefused');
  expect(told).toHaveLength(claims.length);
  expect(told.every((event) => JSON.stringify(event).length < 4_000)).toBe(true);
});
