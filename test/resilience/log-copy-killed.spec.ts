/** `seam replay copy` as a process, killed with SIGKILL again and again: each record arrives once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { testServers } from '@seamstream/dev-servers';
import type { EventLog, NewRecord } from '@seamstream/event-log';
import { KafkaEventLog } from '@seamstream/event-log-kafka';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { newId, Random } from '@seamstream/kernel';

jest.setTimeout(280_000);

const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const TOPIC = 'seam.outcomes';
const PARTITIONS = 3;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-copy-killed-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const value = Buffer.alloc(1000, 7);
const headers = { ce_type: 'seamstream.OutcomeRecorded', ce_source: 'test', 'x-text': 'ü' };

describe('a copy that is killed', () => {
  it('copies every record once from folder to folder', async () => {
    const [there, here] = [join(folder, 'source'), join(folder, 'target')];
    const source = await LmdbEventLog.open({ folder: there });
    await fill(source, 120_000);
    const kills = await copyUnderKills(`lmdb:${there}`, `lmdb:${here}`, 6);
    const target = await LmdbEventLog.open({ folder: here, readOnly: true });
    expect(kills).toBeGreaterThanOrEqual(3);
    expect(await digestOf(target)).toEqual(await digestOf(source));
    await Promise.all([source.close(), target.close()]);
  });

  it('copies every record once from folder to Kafka, and back into another folder', async () => {
    const servers = await testServers(['kafka']);
    const brokers = servers.kafka.bootstrap;
    const prefix = `copy-${newId()}.`;
    const [there, back] = [join(folder, 'source'), join(folder, 'back')];
    const source = await LmdbEventLog.open({ folder: there });
    const cluster = await KafkaEventLog.open({ brokers: brokers.split(','), prefix });
    try {
      await fill(source, 40_000);
      // A killed member holds its claim until its session ends: hence few kills here.
      const kills = await copyUnderKills(`lmdb:${there}`, `kafka://${brokers}/${prefix}`, 3);
      const expected = await digestOf(source);
      expect(kills).toBeGreaterThanOrEqual(2);
      expect(await digestOf(cluster)).toEqual(expected);
      expect(await copyUnderKills(`kafka://${brokers}/${prefix}`, `lmdb:${back}`, 2)).toBeGreaterThanOrEqual(1);
      const target = await LmdbEventLog.open({ folder: back, readOnly: true });
      expect(await digestOf(target)).toEqual(expected);
      await target.close();
      // What went out does not come home.
      const before = await source.watermarks(TOPIC);
      expect(await copy(`kafka://${brokers}/${prefix}`, `lmdb:${there}`)).toBe(0);
      expect(await source.watermarks(TOPIC)).toEqual(before);
    } finally {
      await Promise.all([source.close(), cluster.close()]);
      await servers.stop();
    }
  });
});

async function fill(log: EventLog, records: number): Promise<void> {
  await log.createTopics([{ name: TOPIC, partitions: PARTITIONS }]);
  for (let at = 0; at < records; at += 1000) {
    const step = Array.from({ length: Math.min(1000, records - at) }, (_, index): NewRecord => {
      const number = at + index;
      return { topic: TOPIC, key: `p${number}`, value, headers, timestampMs: 1_700_000_000_000 + number };
    });
    await log.append(step);
  }
}

/** Runs the copy; with `killAfterMs`, kills it that long after it began to copy. Undefined exit code when it was killed. */
async function copy(from: string, to: string, killAfterMs?: number): Promise<number | null> {
  const child = spawn(process.execPath, [SEAM, 'replay', 'copy', '--from', from, '--to', to, '--topic', TOPIC], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    // The least that brokers allow: a killed member holds its claim for so long.
    env: { ...process.env, SEAM_EVENT_LOG_KAFKA_SESSION_TIMEOUT_MS: '6000' },
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
    if (killAfterMs !== undefined && complaint.includes('copying:'))
      setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  });
  const [exitCode, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (signal === null && exitCode !== 0) throw new Error(`seam replay copy ended with ${exitCode}: ${complaint}`);
  return exitCode;
}

async function copyUnderKills(from: string, to: string, attempts: number): Promise<number> {
  const random = Random.of('copy-killed', attempts);
  let kills = 0;
  // A copy that ends before it is killed leaves less to kill: its rest is what the last, undisturbed one finds.
  for (let attempt = 0; attempt < attempts; attempt++) {
    if ((await copy(from, to, random.float() * 150)) === null) kills++;
    else break;
  }
  expect(await copy(from, to)).toBe(0);
  return kills;
}

async function digestOf(log: EventLog): Promise<string[]> {
  const lines: string[] = [];
  for (const { partition, low } of await log.watermarks(TOPIC)) {
    for await (const chunk of log.read({ topic: TOPIC, partition, from: low }))
      for (const record of chunk)
        lines.push(
          [partition, record.key, record.value?.length, record.timestampMs, record.headers['x-text']].join(' '),
        );
  }
  return lines;
}
