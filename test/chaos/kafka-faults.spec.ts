/**
 * The services on real Kafka and a real S3 server, disturbed. What is left is compared with an undisturbed run on the
 * embedded drivers: content is the same wherever a log lies, and offsets, which are not, are no content.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { KafkaOptions } from '@seamstream/dev-servers';
import { TOPIC } from '@seamstream/events';
import { totalRecords } from '@seamstream/testing';
import { deploy } from '../support/deployment.js';
import { allEventsOf, type RecordedRun, repeatedIds } from '../support/recorded-run.js';
import { SERVICES, ServiceProcesses } from '../support/service-processes.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { playToyRun, type ToyRun, type ToyRunOptions } from '../support/toy-run.js';
import { createToyWorld, TOY_ROUND, type ToyWorld, toyEnvironment } from '../support/toy-world.js';

const FULL = process.env.SEAM_TEST_CHAOS === 'full';
const ROUNDS = FULL ? 6 : 3;
const DETOURED = [`--import=${new URL('../support/detours.mjs', import.meta.url).href}`];

let world: ToyWorld;
let undisturbed: ToyRun;

type Faults = Pick<ToyRunOptions, 'disturb' | 'inspect'> & { readonly kafka?: KafkaOptions; readonly objects?: 's3' };

/** Every problem's content is in the log once and named by its digest elsewhere: aborted transactions must not hide it. */
function namedContents(folder: string): Readonly<Record<string, string>> {
  return { ...toyEnvironment(world, folder), SEAM_GENERATOR_INLINE_CONTENT_BYTES: '0' };
}

async function play(log: 'lmdb' | 'kafka', { kafka = {}, objects, ...run }: Faults = {}): Promise<ToyRun> {
  const folder = await mkdtemp(join(tmpdir(), 'kafka-faults-'));
  const deployment = await deploy({
    folder,
    log,
    objects: objects ?? 'fs',
    kafka,
    environment: namedContents(folder),
  });
  try {
    return await playToyRun({
      deployment,
      goesOn: (round) => round <= ROUNDS,
      processes: { supervised: true },
      roundTimeoutMs: 240_000,
      ...run,
    });
  } finally {
    await deployment.close();
    await rm(folder, { recursive: true });
  }
}

/** Nothing lost, nothing counted twice, and all content is that of the undisturbed run on the embedded log. */
function expectSame(run: RecordedRun): void {
  expect(run.ledger).toEqual(undisturbed.ledger);
  expect(run.ledger).toMatchObject({ published: ROUNDS * TOY_ROUND, inFlight: 0, orphaned: 0, balanced: true });
  expect(run.deadLetters).toBe(0);
  expect(run.bufferDigests).toEqual(undisturbed.bufferDigests);
  expect(run.adapterDigests).toEqual(undisturbed.adapterDigests);
  for (const kind of ['experiences', 'outcomes', 'admissions', 'rejections'] as const) {
    expect(repeatedIds(run[kind])).toEqual([]);
    expect([...run[kind]].sort()).toEqual([...undisturbed[kind]].sort());
  }
}

beforeAll(async () => {
  world = await createToyWorld();
  undisturbed = await play('lmdb');
}, 900_000);

afterAll(() => rm(world.folder, { recursive: true }));

it('R01: killed services, broker and S3 server leave what the embedded drivers leave when nothing is killed', async () => {
  const killed: string[] = [];
  const run = await play('kafka', {
    objects: 's3',
    disturb: async ({ services, deployment: { servers } }) => {
      for (const server of servers) {
        for (const name of SERVICES) {
          while (!services.isAtWork(name)) await pause(20);
          await services.killAndRestart(name);
          killed.push(name);
          await pause(700);
        }
        await server.kill('SIGKILL');
        await server.restart();
        killed.push(server.name);
      }
    },
  });
  expect(new Set(killed)).toEqual(new Set([...SERVICES, 'broker-1', 's3']));
  expectSame(run);
}, 600_000);

it('R16: of three brokers each is killed in turn, leaders and coordinators with it', async () => {
  const run = await play('kafka', {
    kafka: { brokers: 3 },
    disturb: async ({ deployment: { servers } }, signal) => {
      for (let turn = 0; turn < (FULL ? 15 : 3) && !signal.aborted; turn++) {
        const server = servers[turn % servers.length]!;
        // Hard and orderly in turn: the one leaves its leaderships to others, the other has them taken away.
        await server.kill(turn % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
        await pause(1_000);
        await server.restart();
        await pause(2_000);
      }
    },
  });
  expectSame(run);
}, 900_000);

it('R17: a broker that stands still for longer than sessions last is waited for', async () => {
  const run = await play('kafka', {
    disturb: async (scene) => {
      const [broker] = scene.deployment.servers;
      while (scene.round() < 2) await pause(20);
      await broker!.kill('SIGSTOP');
      await pause(FULL ? 30_000 : 10_000);
      await broker!.kill('SIGCONT');
    },
  });
  expectSame(run);
}, 600_000);

it('R17: a network that is slow, stands still or is cut between the services and both servers costs nothing but time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kafka-network-'));
  const environment = namedContents(folder);
  const deployment = await deploy({ folder, log: 'kafka', objects: 's3', environment });
  const { SEAM_EVENT_LOG_KAFKA_BROKERS: broker, SEAM_OBJECT_STORE_S3_ENDPOINT: endpoint } = deployment.environment;
  const ports = [Number(broker!.split(':')[1]), Number(new URL(endpoint!).port)];
  const proxies = await Promise.all(ports.map((port) => TcpProxy.start(port)));
  const DETOURS = proxies.map(({ detour }) => detour).join(',');
  // Longer than sessions (4 s) and transactions (5 s) of these services last.
  const longMs = FULL ? 60_000 : 6_000;
  const faults: readonly (readonly [begin: (proxy: TcpProxy) => void, end: (proxy: TcpProxy) => void])[] = [
    [
      (proxy) => {
        proxy.latencyMs = 100;
        proxy.bytesPerSecond = 3e6 / 8;
      },
      (proxy) => {
        proxy.latencyMs = 0;
        proxy.bytesPerSecond = Number.POSITIVE_INFINITY;
      },
    ],
    [
      (proxy) => {
        proxy.isStalled = true;
      },
      (proxy) => {
        proxy.isStalled = false;
      },
    ],
    [(proxy) => proxy.cut(), (proxy) => proxy.mend()],
  ];
  const done: number[] = [];
  try {
    const run = await playToyRun({
      // This process looks at the servers as they are; the services go through the proxies.
      deployment: { ...deployment, environment: { ...deployment.environment, DETOURS } },
      goesOn: (round) => round <= ROUNDS,
      processes: { supervised: true, nodeArguments: Object.fromEntries(SERVICES.map((name) => [name, DETOURED])) },
      roundTimeoutMs: 240_000,
      disturb: async (scene, signal) => {
        for (const [index, [begin, end]] of faults.entries()) {
          while (scene.round() <= index) await pause(20);
          if (signal.aborted) return;
          proxies.forEach(begin);
          await pause(longMs);
          proxies.forEach(end);
          done.push(index);
        }
      },
    });
    expect(done).toEqual([0, 1, 2]);
    expectSame(run);
    // No service had to be started again.
    expect(run.exits).toEqual([]);
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await deployment.close();
    await rm(folder, { recursive: true });
  }
}, 900_000);

it('a service says that it is not ready while its broker is down, and is ready again without a new start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kafka-ready-'));
  const deployment = await deploy({ folder, log: 'kafka', environment: toyEnvironment(world, folder) });
  const services = new ServiceProcesses(deployment.environment, { instances: ['generator', 'executor', 'buffer'] });
  const ready = async (status: number, withinMs: number): Promise<number> => {
    const begunMs = performance.now();
    for (const name of services.names()) {
      for (;;) {
        const url = services.urlOf(name);
        const answer = url === undefined ? undefined : await fetch(`${url}/health/ready`);
        if (answer?.status === status) break;
        if (performance.now() - begunMs > withinMs)
          throw new Error(`${name}: ${answer?.status} ${await answer?.text()} after ${withinMs} ms, not ${status}`);
        await pause(50);
      }
    }
    return performance.now() - begunMs;
  };
  try {
    services.startAll();
    await ready(200, 120_000);
    await deployment.servers[0]!.kill('SIGKILL');
    const downMs = await ready(503, 30_000);
    // Longer than sessions and requests last: what gives up for good would have done so.
    await pause(FULL ? 60_000 : 8_000);
    await deployment.servers[0]!.restart();
    const upMs = await ready(200, 60_000);
    process.stderr.write(`not ready after ${Math.round(downMs)} ms, ready again after ${Math.round(upMs)} ms\n`);
    expect(services.exits()).toEqual([]);
    expect(services.complaints()).toEqual([]);
    expect(services.said('MaxListenersExceededWarning')).toEqual([]);
    expect(services.said('TimeoutNegativeWarning')).toEqual([]);
  } finally {
    await services.end();
    await deployment.close();
    await rm(folder, { recursive: true });
  }
}, 400_000);

it('R08: services whose offsets are gone, or set back by half, read again and say nothing twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kafka-offsets-'));
  const deployment = await deploy({ folder, log: 'kafka', environment: toyEnvironment(world, folder) });
  try {
    await playToyRun({ deployment, goesOn: (round) => round <= ROUNDS });
    const log = await deployment.openLog();
    const objects = await deployment.openObjects();
    const keys = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { key } of objects.list('')) found.push(key);
      return found.sort();
    };
    const said = async (): Promise<string[]> => (await allEventsOf(log)).map(({ meta }) => meta.messageId);
    const before = { keys: await keys(), said: await said() };
    const groups = [
      ['seam.generator', TOPIC.problems],
      ['seam.executor', TOPIC.experiences],
      ['seam.buffer', TOPIC.outcomes],
      ['seam.trainer', TOPIC.outcomes],
    ] as const;
    const committed = async (group: string): Promise<string[]> =>
      (await log.committedOffsets(group)).map((each) => `${each.partition} ${each.nextOffset}`).sort();
    const ends = new Map<string, readonly string[]>();
    for (const [group] of groups) ends.set(group, await committed(group));
    for (const fault of ['gone', 'set back'] as const) {
      for (const [group, topic] of groups) {
        const perPartition = ((await totalRecords(log, topic)) / 4) >> 1;
        if (fault === 'gone') await deployment.forgetOffsets(group, topic);
        else await deployment.setBackOffsets(group, topic, perPartition);
        expect(await committed(group)).not.toEqual(ends.get(group));
      }
      const services = new ServiceProcesses(deployment.environment);
      services.startAll();
      try {
        for (const [group] of groups) {
          const giveUp = performance.now() + 120_000;
          while (JSON.stringify(await committed(group)) !== JSON.stringify(ends.get(group))) {
            if (performance.now() > giveUp) throw new Error(`${group} does not come back to its place: ${fault}`);
            await pause(200);
          }
        }
        // A service that says again what it reads again would have said more by now.
        await pause(3_000);
      } finally {
        await services.end();
      }
      expect({ keys: await keys(), said: await said() }).toEqual(before);
      expect(services.complaints()).toEqual([]);
    }
    await log.close();
    await objects.close();
  } finally {
    await deployment.close();
    await rm(folder, { recursive: true });
  }
}, 600_000);
