/** The servers of infra/compose: where these cannot be made here, Docker may have them. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SeamError } from '@seamstream/kernel';
import { mustRun } from './host-tools.js';
import { s3Answers } from './s3.js';
import { demandCompatibility, registryAnswers } from './schema-registry.js';
import type { TestServers } from './test-servers.types.js';

const COMPOSE_FILE = fileURLToPath(new URL('../../compose/compose.yaml', import.meta.url));

/** Where the file puts them; a spec compares. */
export const COMPOSED: TestServers = {
  kafka: { bootstrap: '127.0.0.1:9092' },
  s3: {
    endpoint: 'http://127.0.0.1:7070',
    region: 'us-east-1',
    accessKeyId: 'seamstream',
    secretAccessKey: 'seamstream-secret',
  },
  registry: { url: 'http://127.0.0.1:8081/apis/ccompat/v7' },
};

const READY_WITHIN_MS = 120_000;

/** Whether a started server can be worked with; Kafka's container says so itself. */
const isReady: Readonly<Record<keyof TestServers, () => Promise<boolean>>> = {
  kafka: () => Promise.resolve(true),
  s3: () => s3Answers(COMPOSED.s3.endpoint),
  registry: () => registryAnswers(COMPOSED.registry.url),
};

/**
 * Starts a server of the file, if it does not run yet, and waits until it answers. No test stops it: other tests may be at
 * work on it ("docker compose -f infra/compose/compose.yaml down --volumes" does). Throws INVALID_CONFIGURATION.
 */
export async function startComposed<Kind extends keyof TestServers>(kind: Kind): Promise<TestServers[Kind]> {
  await mustRun(
    'docker',
    ['compose', '--file', COMPOSE_FILE, 'up', '--detach', '--wait', '--wait-timeout', '180', kind],
    `start ${kind} with Docker`,
    'Check that the Docker engine runs, that Compose is version 2, and that the ports of infra/compose are free.',
  );
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isReady[kind]())) {
    if (Date.now() > deadline) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot start ${kind} with Docker: expected an answer within ${READY_WITHIN_MS / 1000} s, got none. "docker compose -f ${COMPOSE_FILE} logs ${kind}" says why.`,
      );
    }
    await pause(500);
  }
  if (kind === 'registry') await demandCompatibility(COMPOSED.registry.url);
  return COMPOSED[kind];
}
