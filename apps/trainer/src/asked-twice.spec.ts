/** A run that a person asks for while another process carries it out: the second one says so, and takes nothing away. */

import { hostname } from 'node:os';
import { newWorld, type World } from '@seamstream/testing';
import { openTuner, publishProblems, SETTINGS, teamEvents } from './team-world.fake.js';

const { signal } = new AbortController();
const request = { algorithm: 'sat-seq', settings: SETTINGS };

describe('a stage that is asked for twice', () => {
  it('is carried out once; the second process says who works on it, and leaves it alone', async () => {
    const world = newWorld();
    const first = await openTuner(world);
    await publishProblems(first.log, 0, 6);
    const held = stopBeforeSampling(first);
    const ada = first.onDemand.handle({ ...request, by: 'ada' }, signal);
    await held.reached;
    const second = await openTuner(world);
    const refused = await second.onDemand.handle({ ...request, by: 'joe' }, signal).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      ...{ code: 'CONFLICT', details: { by: 'ada', pid: process.pid } },
      message: expect.stringMatching(
        /expected one that no process works on, got one that ada works on \(process \d+ on .*\)\. Wait for its end/,
      ),
    });
    expect([second.log.writes, second.generator.requests, second.engine.steps]).toEqual([0, [], 0]);
    held.release();
    expect((await ada).ending).toMatchObject([{ type: 'AdapterPromoted' }]);
    expect((await teamEvents(first.log, 'TrainingRunPlanned')).map(({ plannedBy }) => plannedBy)).toEqual(['ada']);
    expect(leasesIn(world)).toEqual([]);
  }, 60_000);

  it('is resumed by the second process when the first one has not reported for its time', async () => {
    const world = newWorld();
    // Dead to others: in another container of this host's name, and what it writes to the store does not arrive.
    const cutOff = { ...newWorld(), storage: world.storage };
    const first = await openTuner(cutOff);
    await publishProblems(first.log, 0, 6);
    const held = stopBeforeSampling(first);
    const ada = first.onDemand.handle({ ...request, by: 'ada' }, signal);
    await held.reached;
    const [key] = leasesIn(cutOff);
    const holder = { holder: 'x', by: 'ada', host: hostname(), machine: 'another', pid: NO_PROCESS };
    world.objects.set(key!, { body: Buffer.from(JSON.stringify(holder)), etag: 'old' });
    const second = await openTuner(world);
    const askedAt = performance.now();
    const joe = await second.onDemand.handle({ ...request, by: 'joe' }, signal);
    expect(joe.ending).toMatchObject([{ type: 'AdapterPromoted' }]);
    expect(performance.now() - askedAt).toBeGreaterThan(1500);
    expect(leasesIn(world)).toEqual([]);
    held.release();
    await expect(ada).rejects.toMatchObject({ code: 'FENCED' });
    expect(await teamEvents(first.log, 'AdapterPromoted')).toHaveLength(1);
  }, 60_000);
});

it('an iteration that was planned to keep less of old problems than is asked for now is refused until it has ended', async () => {
  const world = newWorld();
  const first = await openTuner(world);
  await publishProblems(first.log, 0, 6);
  const held = stopBeforeSampling(first);
  const iterated = { ...request, iteration: { of: 'a self-training', index: 1 } };
  const planned = first.onDemand.handle(iterated, signal);
  await held.reached;
  const second = await openTuner(world);
  const stricter = { ...iterated, retention: { mostCost: 0.1, problems: [] } };
  await expect(second.onDemand.handle(stricter, signal)).rejects.toThrow(
    /at most 0\.1 of old problems, got one that was planned with no such limit\. Cancel it first/,
  );
  expect(second.log.writes).toBe(0);
  held.release();
  expect((await planned).ending).toMatchObject([{ type: 'AdapterPromoted' }]);
  expect((await second.onDemand.handle(stricter, signal)).ending).toEqual([]);
}, 60_000);

/** A system gives no process so large an id. */
const NO_PROCESS = 2 ** 30;

const leasesIn = ({ objects }: World): readonly string[] =>
  [...objects.keys()].filter((key) => key.endsWith('lease.json'));

/** The first turn waits until it is released. */
function stopBeforeSampling({ generator }: Awaited<ReturnType<typeof openTuner>>) {
  const reached = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  const generate = generator.generate.bind(generator);
  generator.generate = async (...asked) => {
    reached.resolve(undefined);
    await released.promise;
    return generate(...asked);
  };
  return { reached: reached.promise, release: () => released.resolve(undefined) };
}
