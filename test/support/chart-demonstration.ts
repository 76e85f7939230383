/** The demonstration on services that the chart starts elsewhere: what its values say, and what the same seed does in processes. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EventLog } from '@seamstream/event-log';
import { commonConfigSchema, type Environment, loadConfig, openEventLog, settingsOf } from '@seamstream/service-kit';
import { embeddedEnvironment, validationProblems, worldFiles, writeWorldFiles } from '@seamstream/standalone';
import { SCHEMAS, type Values } from '../acceptance/chart/values.js';
import { type RecordedRun, recordedRun, repeatedIds } from './recorded-run.js';

const START = fileURLToPath(new URL('../../apps/standalone/bin/start.js', import.meta.url));
export const SEED = 2;
export const ROUND_SIZE = 32;
export const ROUNDS = 3;
/** How a demonstration ends whose rounds were over before every domain reached its target. */
const NOT_CONVERGED = 3;
/** A ConfigMap holds 1 MiB; the demonstration's 2.4 MB of validation problems do not fit. */
const EVERY = 4;
const SERVICES = {
  generator: 'generator',
  executor: 'executor',
  buffer: 'buffer',
  planner: 'trainer',
  worker: 'trainer',
};
export const GRACE_SECONDS = 60;
/** Names of what the chart's values name. */
export const FILES = 'seam-test-files';
export const KEYS = 'seam-test-s3';

/** What all services of a run read: few rounds see both algorithms, and few steps more than one checkpoint. */
export const FASTER: Environment = {
  SEAM_TRAINER_CURRICULUM_IMITATE_BELOW: '0.2',
  SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: '3',
};

/** Files that services read: entry schemas and fewer validation problems than the demonstration has. */
export interface Files {
  readonly entrySchemas: string;
  readonly validation: string;
}

export async function writeFiles(folder: string): Promise<Files> {
  await writeWorldFiles(folder);
  const files = { ...worldFiles(folder), validation: join(folder, 'validation.jsonl') };
  const fewer = validationProblems().filter((_, index) => index % EVERY === 0);
  await writeFile(files.validation, fewer.map((problem) => `${JSON.stringify(problem)}\n`).join(''));
  return files;
}

/** The data of the ConfigMap {@link FILES}. */
export async function filesData({ entrySchemas, validation }: Files): Promise<Readonly<Record<string, string>>> {
  return {
    'entry-schemas.json': await readFile(entrySchemas, 'utf8'),
    'validation.jsonl': await readFile(validation, 'utf8'),
  };
}

/** What a run of this name has in common with its services. */
export function environmentOf(
  name: string,
  {
    servers,
    folder,
    validation,
  }: { readonly servers: Environment; readonly folder: string; readonly validation: string },
): Environment {
  return {
    ...servers,
    ...FASTER,
    SEAM_EVENT_LOG_KAFKA_PREFIX: `${name}.`,
    SEAM_OBJECT_STORE_S3_PREFIX: name,
    SEAM_OBJECT_STORE_S3_ALLOW_PLAINTEXT: 'true',
    SEAM_DATA_FOLDER: join(folder, name),
    SEAM_TRAINER_VALIDATION_PROBLEMS: validation,
  };
}

export function openLogOf(environment: Environment): Promise<EventLog> {
  const common = new Set(settingsOf(commonConfigSchema).map(({ name }) => name));
  const known = Object.entries(environment).filter(([name]) => common.has(name));
  return openEventLog(loadConfig(commonConfigSchema, Object.fromEntries(known)));
}

/** Values of the chart, on top of the profile `kind`, that give services what the demonstration gives them. */
export function valuesOf(folder: string, deployment: Environment, image: string): Values {
  const given = { dataFolder: folder, seed: SEED, roundSize: ROUND_SIZE, algorithm: 'curriculum' };
  const environment = embeddedEnvironment(given, {
    ...FASTER,
    SEAM_ENTRY_SCHEMAS: '/files/entry-schemas.json',
    SEAM_TRAINER_VALIDATION_PROBLEMS: '/files/validation.jsonl',
    SEAM_TRAINER_LEASE_MS: '4000',
  });
  const common = new Set(settingsOf(SCHEMAS.common).map(({ name }) => name));
  const settings = (program: keyof typeof SCHEMAS): Environment => {
    const known = new Set(settingsOf(SCHEMAS[program]).map(({ name }) => name));
    const own = Object.entries(environment).filter(
      // The image has the shipped models where the services look for them.
      ([name]) => known.has(name) && !common.has(name) && !/_(MODEL|EXECUTOR)_FOLDER$/.test(name),
    );
    return Object.fromEntries(own);
  };
  return {
    image: { repository: image.split(':')[0], tag: image.split(':')[1] },
    kafka: {
      brokers: [deployment.SEAM_EVENT_LOG_KAFKA_BROKERS],
      prefix: deployment.SEAM_EVENT_LOG_KAFKA_PREFIX,
    },
    objectStore: {
      bucket: deployment.SEAM_OBJECT_STORE_S3_BUCKET,
      prefix: deployment.SEAM_OBJECT_STORE_S3_PREFIX,
      endpoint: deployment.SEAM_OBJECT_STORE_S3_ENDPOINT,
      credentialsSecret: KEYS,
    },
    files: { configMap: FILES },
    settings: {
      SEAM_ENTRY_SCHEMAS: environment.SEAM_ENTRY_SCHEMAS,
      SEAM_EVENT_LOG_KAFKA_SESSION_TIMEOUT_MS: deployment.SEAM_EVENT_LOG_KAFKA_SESSION_TIMEOUT_MS,
      SEAM_EVENT_LOG_KAFKA_TRANSACTION_TIMEOUT_MS: deployment.SEAM_EVENT_LOG_KAFKA_TRANSACTION_TIMEOUT_MS,
    },
    services: Object.fromEntries(
      Object.entries(SERVICES).map(([name, program]) => [
        name,
        { settings: settings(program as keyof typeof SCHEMAS), terminationGraceSeconds: GRACE_SECONDS },
      ]),
    ),
  };
}

/** What the demonstration leaves in processes, under separate names on the same servers. */
export async function recordedInProcesses(
  name: string,
  given: { readonly servers: Environment; readonly folder: string; readonly validation: string },
): Promise<RecordedRun> {
  const environment = environmentOf(name, given);
  await demonstration(join(given.folder, 'processes'), environment);
  const log = await openLogOf(environment);
  return recordedRun(log).finally(() => log.close());
}

/** Tests that a run elsewhere is whole and leaves what the same seed leaves in processes. @param disturbed what was done to its services */
export function itIsTheSameRun(
  disturbed: string,
  runs: () => { readonly elsewhere: RecordedRun; readonly inProcesses: RecordedRun },
): void {
  it('learns: runs end, and adapters are promoted', () => {
    const { ends } = runs().elsewhere;
    expect(ends).toHaveLength(ROUNDS);
    expect(ends.filter((end) => end.startsWith('AdapterPromoted')).length).toBeGreaterThan(0);
  });

  it('leaves the same buffer and the same adapters as the same seed in processes', () => {
    const { elsewhere, inProcesses } = runs();
    expect(elsewhere.bufferDigests).toEqual(inProcesses.bufferDigests);
    expect(elsewhere.adapterDigests).toEqual(inProcesses.adapterDigests);
  });

  it(`loses nothing and does nothing twice, though ${disturbed}`, () => {
    const { elsewhere, inProcesses } = runs();
    expect(elsewhere.deadLetters).toBe(0);
    expect(elsewhere.ledger).toEqual(inProcesses.ledger);
    const published = ROUNDS * ROUND_SIZE;
    expect(elsewhere.ledger).toMatchObject({ published, inFlight: 0, orphaned: 0, balanced: true });
    for (const kind of ['experiences', 'outcomes', 'admissions'] as const) {
      expect(repeatedIds(elsewhere[kind])).toEqual([]);
      expect([...elsewhere[kind]].sort()).toEqual([...inProcesses[kind]].sort());
    }
  });
}

/** The demonstration's rounds; its services too, unless they are elsewhere. */
export async function demonstration(
  folder: string,
  environment: Environment,
  more: readonly string[] = [],
): Promise<void> {
  const options = [
    ...['--exit', '--method', 'experiences', '--seed', String(SEED), '--data-dir', folder],
    ...[
      '--round-size',
      String(ROUND_SIZE),
      '--max-rounds',
      String(ROUNDS),
      '--max-shifted-rounds',
      '0',
      '--held-out',
      '8',
      ...more,
    ],
  ];
  const env = { PATH: process.env.PATH, ...environment };
  await promisify(execFile)(process.execPath, [START, ...options], { env, maxBuffer: 1 << 26 }).catch(
    (error: unknown) => {
      const { code, stderr } = error as { readonly code: number; readonly stderr: string };
      if (code !== NOT_CONVERGED) throw new Error(`the demonstration ended with ${code}\n${stderr.slice(-4000)}`);
    },
  );
}
