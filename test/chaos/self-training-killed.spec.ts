/**
 * Self-edits with the writer, the trials and the training of the writer each killed with SIGKILL again and again: attempts, rewards and the
 * adapter are those of an undisturbed run.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { EventLog } from '@seamstream/event-log';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { TOPIC, TOPICS } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import type { Environment } from '@seamstream/service-kit';
import { totalRecords } from '@seamstream/testing';
import { ledgerOf, type RecordedRun, recordedRun, repeatedIds } from '../support/recorded-run.js';
import { seamCommand } from '../support/seam-command.js';
import { houses, selfTrainingEnvironment } from '../support/self-training-world.js';
import { ServiceProcesses } from '../support/service-processes.js';

// Two runs of some thirty short trainings, one of them with twenty kills, on a machine that may be busy.
jest.setTimeout(600_000);

const PASSAGES = 12;
/** Of the services; the rest are of the training. */
const KILLS_OF_SERVICES = 14;
const KILLS_OF_TRAINING = 6;
const TURNS = [
  ['generator', TOPIC.experiences],
  ['executor', TOPIC.outcomes],
] as const;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'self-training-killed-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('R41: writer, trials and training are killed twenty times, and leave the same attempts, rewards and adapter', async () => {
  const undisturbed = await trained('undisturbed', async () => undefined, 0);
  const killed = await trained('killed', killInTurn, KILLS_OF_TRAINING);

  expect(undisturbed.ledger).toMatchObject({ published: PASSAGES, inFlight: 0, balanced: true });
  expect(undisturbed.adapterDigests).toHaveLength(1);
  expect(killed.kills).toBe(KILLS_OF_SERVICES + KILLS_OF_TRAINING);
  expect(killed.ledger).toEqual(undisturbed.ledger);
  expect(killed.deadLetters).toBe(0);
  expect(killed.adapterDigests).toEqual(undisturbed.adapterDigests);
  for (const kind of ['experiences', 'outcomes'] as const) {
    expect(undisturbed[kind].length).toBeGreaterThan(PASSAGES);
    expect(repeatedIds(killed[kind])).toEqual([]);
    expect([...killed[kind]].sort()).toEqual([...undisturbed[kind]].sort());
  }
});

interface Scene {
  readonly services: ServiceProcesses;
  readonly log: EventLog;
}

/** One data folder from publishing to the writer's adapter. @returns what the log then says, and how many processes were killed */
async function trained(
  name: string,
  disturb: (scene: Scene) => Promise<unknown>,
  killsOfTraining: number,
): Promise<RecordedRun & { readonly kills: number }> {
  const root = join(folder, name);
  const environment: Environment = {
    ...selfTrainingEnvironment(root),
    // Small parts of work, so that a kill falls between two as well as into one; attempts are recorded one by one in any case.
    SEAM_GENERATOR_MAX_BATCH_RECORDS: '1',
    SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: '1',
  };
  await mkdir(root, { recursive: true });
  await writeFile(join(root, 'train.jsonl'), houses(0, PASSAGES));
  await writeFile(join(root, 'validation.jsonl'), houses(PASSAGES, PASSAGES + 2));
  const log = await LmdbEventLog.open({ folder: join(root, 'data', 'log') });
  const services = new ServiceProcesses(environment, { instances: ['generator', 'executor'] });
  try {
    await log.createTopics(TOPICS.map(({ name: topic, partitions }) => ({ name: topic, partitions })));
    services.startAll();
    const publishing = seamCommand(['publish', '--mode', 'explore', join(root, 'train.jsonl')], environment);
    expect((await publishing.ended).code).toBe(0);
    await disturb({ services, log });
    while ((await ledgerOf(log)).inFlight > 0) {
      expect(services.complaints()).toEqual([]);
      await pause(100);
    }
    const kills = KILLS_OF_SERVICES * Number(killsOfTraining > 0) + (await train(log, environment, killsOfTraining));
    await services.end();
    return { ...(await recordedRun(log)), kills };
  } finally {
    await services.end();
    await log.close();
  }
}

/** Generator and executor in turn, each a moment after it has written another record: one that is killed at the same record again and again is poison. */
async function killInTurn({ services, log }: Scene): Promise<void> {
  const random = Random.of('R41');
  for (let kill = 0; kill < KILLS_OF_SERVICES; kill++) {
    const [name, topic] = TURNS[kill % TURNS.length]!;
    const before = await totalRecords(log, topic);
    while ((await totalRecords(log, topic)) === before && (await ledgerOf(log)).inFlight > 0) {
      expect(services.complaints()).toEqual([]);
      await pause(5);
    }
    await pause(random.int(200));
    await services.killAndRestart(name);
  }
}

/** The command that trains the writer, killed when its run has written another record. @returns how many times it was killed */
async function train(log: EventLog, environment: Environment, most: number): Promise<number> {
  const random = Random.of('R41, training');
  for (let kills = 0; ; kills++) {
    const before = await totalRecords(log, TOPIC.training);
    const { child, ended } = seamCommand(['train', 'rest-em', '--set', 'duration.epochs=10'], environment);
    if (kills === most) {
      expect((await ended).code).toBe(0);
      return kills;
    }
    while ((await totalRecords(log, TOPIC.training)) === before && child.exitCode === null) await pause(2);
    await pause(random.int(50));
    expect(child.exitCode).toBeNull();
    child.kill('SIGKILL');
    await ended;
  }
}
