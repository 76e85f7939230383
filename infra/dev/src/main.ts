/** The command: `up` starts servers and keeps them until it is interrupted, `down` ends an `up` from another terminal. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SeamError } from '@seamstream/kernel';
import { type Kafka, startKafka } from './kafka.js';
import { KAFKA_VERSIONS } from './kafka-jars.js';
import { type S3, startS3 } from './s3.js';
import { type SchemaRegistry, startSchemaRegistry } from './schema-registry.js';
import { cacheFolder } from './server-cache.js';
import { environmentOf, serviceEnvironmentOf } from './test-servers.js';

const USAGE = `Usage: dev-servers up [options]    start servers on this machine; Ctrl-C or "dev-servers down" ends them
       dev-servers down            end what "up" runs

Without --kafka, --s3 and --registry all three are started.
  --kafka              Apache Kafka
  --brokers 1|3        its brokers (default 1)
  --version VERSION    its version (default ${KAFKA_VERSIONS[0]}; tested: ${KAFKA_VERSIONS.join(', ')})
  --s3                 an S3 server
  --registry           a schema registry
`;

export interface UpOptions {
  kinds: ReadonlySet<'kafka' | 's3' | 'registry'>;
  brokers: 1 | 3;
  version: string;
}

/** Reads the arguments of the command. Throws INVALID_INPUT with the usage. */
export function readArguments(args: readonly string[]): { command: 'up'; options: UpOptions } | { command: 'down' } {
  const refuse = (reason: string): SeamError =>
    new SeamError('INVALID_INPUT', `Cannot read the arguments: ${reason}\n\n${USAGE}`);
  const flag = { type: 'boolean', default: false } as const;
  const parse = (): ReturnType<typeof parseArgs> =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        kafka: flag,
        s3: flag,
        registry: flag,
        brokers: { type: 'string', default: '1' },
        version: { type: 'string', default: KAFKA_VERSIONS[0] },
      },
    });
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse();
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = positionals;
  if (rest.length > 0 || (command !== 'up' && command !== 'down')) {
    throw refuse(`"${positionals.join(' ')}" is not a command: expected "up" or "down".`);
  }
  if (command === 'down') return { command };
  const { brokers, version } = values as { brokers: string; version: string };
  if (brokers !== '1' && brokers !== '3') throw refuse(`--brokers is "${brokers}": expected 1 or 3.`);
  const asked = (['kafka', 's3', 'registry'] as const).filter((kind) => values[kind] === true);
  const kinds = new Set(asked.length > 0 ? asked : (['kafka', 's3', 'registry'] as const));
  return { command, options: { kinds, brokers: brokers === '1' ? 1 : 3, version } };
}

const runningFile = (): string => join(cacheFolder(process.env, homedir()), 'up.pid');

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function runningPid(): Promise<number | undefined> {
  const text = await readFile(runningFile(), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isInteger(pid) && isAlive(pid) ? pid : undefined;
}

async function up({ kinds, brokers, version }: UpOptions): Promise<void> {
  const running = await runningPid();
  if (running !== undefined) {
    throw new SeamError(
      'CONFLICT',
      `Cannot start servers: "up" already runs as process ${running}. End it by "npm run dev:down" first.`,
    );
  }
  await mkdir(cacheFolder(process.env, homedir()), { recursive: true });
  await writeFile(runningFile(), String(process.pid));
  const ending = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  const servers: { kafka?: Kafka; s3?: S3; registry?: SchemaRegistry } = {};
  try {
    process.stderr.write(`Starting ${[...kinds].join(', ')}; the first time fetches them, which takes minutes.\n`);
    // All are awaited, so that one that fails does not leave another behind that is still starting.
    const starts = await Promise.allSettled([
      kinds.has('kafka')
        ? startKafka({ brokers, version }).then((kafka) => Object.assign(servers, { kafka }))
        : undefined,
      kinds.has('s3') ? startS3().then((s3) => Object.assign(servers, { s3 })) : undefined,
      kinds.has('registry')
        ? startSchemaRegistry().then((registry) => Object.assign(servers, { registry }))
        : undefined,
    ]);
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
    const exported = (environment: Readonly<Record<string, string>>): string =>
      Object.entries(environment)
        .map(([name, value]) => `export ${name}=${value}\n`)
        .join('');
    process.stdout.write(
      `# Services and commands work on them with\n${exported(serviceEnvironmentOf(servers))}\n# Tests use them with\n${exported(environmentOf(servers))}`,
    );
    process.stderr.write(
      'Running. Set these in another terminal; Ctrl-C here or "npm run dev:down" there ends them.\n',
    );
    const keepAlive = setInterval(() => undefined, 60_000);
    await ending;
    clearInterval(keepAlive);
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    await rm(runningFile(), { force: true });
  }
}

async function down(): Promise<void> {
  const pid = await runningPid();
  if (pid === undefined) {
    process.stderr.write('No servers are running that "up" started.\n');
    return;
  }
  process.kill(pid, 'SIGTERM');
  while (isAlive(pid)) await sleep(50);
  process.stderr.write('Stopped.\n');
}

/** Runs the command; resolves with its exit status. */
export async function runDevServers(args: readonly string[]): Promise<number> {
  try {
    const { command, ...rest } = readArguments(args);
    await (command === 'up' ? up((rest as { options: UpOptions }).options) : down());
    return 0;
  } catch (error) {
    process.stderr.write(`dev-servers: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
