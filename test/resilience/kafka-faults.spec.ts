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
import { deploy } from '../support/deployment.js';
import { eventsOf, ofType, type RecordedRun, repeatedIds } from '../support/recorded-run.js';
import { SERVICES, ServiceProcesses } from '../support/service-processes.js';
import { playToyRun, type ToyRun, type ToyRunOptions } from '../support/toy-run.js';
import { createToyWorld, TOY_ROUND, type ToyWorld, toyEnvironment } from '../support/toy-world.js';

const FULL = process.env.SEAM_TEST_CHAOS === 'full';
const ROUNDS = FULL ? 6 : 3;

let world: ToyWorld;
let undisturbed: ToyRun;

type Faults = Pick<ToyRunOptions, 'disturb' | 'inspect'> & { readonly kafka?: KafkaOptions; readonly objects?: 's3' };

async function play(log: 'lmdb' | 'kafka', { kafka = {}, objects, ...run }: Faults = {}): Promise<ToyRun> {
  const folder = await mkdtemp(join(tmpdir(), 'kafka-faults-'));
  const deployment = await deploy({
    folder,
    log,
    objects: objects ?? 'fs',
    kafka,
    environment: toyEnvironment(world, folder),
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
}, 300_000);

afterAll(() => rm(world.folder, { recursive: true }));

it('R01: services, broker and S3 server are killed: what is left is what the embedded drivers leave when nobody is', async () => {
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

it('R08: buffer and trainer whose offsets are gone read all again and say nothing twice', async () => {
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
    const said = async (): Promise<string[]> =>
      (await eventsOf(log, [TOPIC.buffer, TOPIC.training, TOPIC.adapters])).map(({ meta }) => meta.messageId);
    const before = { keys: await keys(), said: await said() };
    const groups = ['seam.buffer', 'seam.trainer'] as const;
    for (const group of groups) await deployment.forgetOffsets(group, TOPIC.outcomes);
    for (const group of groups) expect(await log.committedOffsets(group)).toEqual([]);
    const services = new ServiceProcesses(deployment.environment, { instances: ['buffer', 'trainer'] });
    services.startAll();
    try {
      const marks = (await log.watermarks(TOPIC.outcomes)).filter(({ high }) => high > 0).length;
      for (const group of groups) {
        while ((await log.committedOffsets(group)).filter(({ nextOffset }) => nextOffset > 0).length < marks)
          await pause(100);
      }
      await pause(3_000);
    } finally {
      await services.end();
    }
    expect({ keys: await keys(), said: await said() }).toEqual(before);
    expect(services.complaints()).toEqual([]);
    expect(ofType(await eventsOf(log), 'DeadLettered')).toEqual([]);
    await log.close();
    await objects.close();
  } finally {
    await deployment.close();
    await rm(folder, { recursive: true });
  }
}, 600_000);
