/** `seam replay copy` with a schema registry: a cluster's records bear its ids, a folder is read without it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { testServers } from '@seamstream/dev-servers';
import type { EventLog } from '@seamstream/event-log';
import { KafkaEventLog } from '@seamstream/event-log-kafka';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { encodeEvent, TOPIC } from '@seamstream/events';
import { newId } from '@seamstream/kernel';
import { commonConfigSchema, loadConfig, openEventLog } from '@seamstream/service-kit';
import { toyPublication } from '../support/toy-world.js';

jest.setTimeout(200_000);

const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const PROBLEMS = 20;

let servers: Awaited<ReturnType<typeof testServers<'kafka' | 'registry'>>>;
let folder: string;
beforeAll(async () => {
  [servers, folder] = await Promise.all([testServers(['kafka', 'registry']), mkdtemp(join(tmpdir(), 'seam-framed-'))]);
});
afterAll(async () => {
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

it("a copy into a folder has fingerprints for the registry's ids, and a copy back into a cluster has the ids", async () => {
  const brokers = servers.kafka.bootstrap;
  const [here, there] = [`here-${newId()}.`, `there-${newId()}.`];
  const plainly = (prefix: string): Promise<EventLog> => KafkaEventLog.open({ brokers: brokers.split(','), prefix });
  const records = Array.from({ length: PROBLEMS }, (_, number) => encodeEvent(toyPublication('framed', number)));
  const encoded = new Map(records.map(({ key, value }) => [key, Buffer.from(value).toString('hex')]));
  const log = await openEventLog(
    loadConfig(commonConfigSchema, {
      SEAM_EVENT_LOG_DRIVER: 'kafka',
      SEAM_SIGNATURES_UNSIGNED: 'allowed',
      SEAM_EVENT_LOG_KAFKA_BROKERS: JSON.stringify(brokers.split(',')),
      SEAM_EVENT_LOG_KAFKA_PREFIX: here,
      SEAM_SCHEMA_REGISTRY_URL: servers.registry.url,
    }),
  );
  await log.append(records);
  await log.close();
  const framed = await valuesOf(await plainly(here));
  expect([...framed.values()].every((value) => value.startsWith('00'))).toBe(true);

  const archive = join(folder, 'archive');
  await copy(`kafka://${brokers}/${here}`, `lmdb:${archive}`);
  expect(await valuesOf(await LmdbEventLog.open({ folder: archive, readOnly: true }))).toEqual(encoded);

  await copy(`lmdb:${archive}`, `kafka://${brokers}/${there}`);
  expect(await valuesOf(await plainly(there))).toEqual(framed);
});

/** A copy with the registry. A log that it does not name is the configured one, which no test uses. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)(process.execPath, [SEAM, 'replay', 'copy', '--from', from, '--to', to], {
    cwd: folder,
    env: { ...process.env, SEAM_SCHEMA_REGISTRY_URL: servers.registry.url },
  });
}

/** The published records' bytes by key, as they are stored. */
async function valuesOf(log: EventLog): Promise<ReadonlyMap<string | null, string>> {
  const values = new Map<string | null, string>();
  for (const { partition, low } of await log.watermarks(TOPIC.problems))
    for await (const chunk of log.read({ topic: TOPIC.problems, partition, from: low }))
      for (const { key, value } of chunk) values.set(key, Buffer.from(value ?? []).toString('hex'));
  await log.close();
  return values;
}
