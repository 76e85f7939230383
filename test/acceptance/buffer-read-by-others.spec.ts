/**
 * The buffer service on S3, by configuration alone; what it leaves in the bucket is read by boto3, pyarrow and DuckDB, and
 * has to say to them what it says to us.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pythonWith } from '@seamstream/dev-servers';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { type EventOf, encodeEvent, originMeta, TOPIC, TOPICS } from '@seamstream/events';
import { domainEntrySchema } from '@seamstream/experience';
import { derivedId, Random, sha256 } from '@seamstream/kernel';
import { type BufferRow, decodeManifest, readVersion } from '@seamstream/success-buffer';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { allEventsOf, ofType } from '../support/recorded-run.js';
import { type S3Bucket, s3Bucket } from '../support/s3-bucket.js';
import { ServiceProcesses } from '../support/service-processes.js';

const SCRIPT = fileURLToPath(new URL('./read-buffer.py', import.meta.url));
const PACKAGES = ['boto3==1.44.5', 'pyarrow==26.0.1', 'duckdb==2.0.0'];
const PREFIX = 'shared/seam';
const VERSIONS = 3;
const PROBLEMS_PER_VERSION = 40;
/** One that a path has to encode. */
const DOMAINS = ['sums', 'words', 'größe & maß/x ~'];
const WORDS = ['carry', 'borrow', 'halve'];

describe('the buffer in a bucket', () => {
  let s3: S3Bucket;
  let folder: string;
  let log: LmdbEventLog;
  let services: ServiceProcesses;
  let commits: EventOf<'BufferCommitted'>[];

  beforeAll(async () => {
    s3 = await s3Bucket();
    folder = await mkdtemp(join(tmpdir(), 'buffer-on-s3-'));
    log = await LmdbEventLog.open({ folder: join(folder, 'log') });
    await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    const schema = domainEntrySchema({
      concepts: { words: WORDS },
      strategy: { words: ['once'] },
      pitfalls: { words: ['none'] },
    });
    const entrySchemas = join(folder, 'entry-schemas.json');
    await writeFile(entrySchemas, JSON.stringify(Object.fromEntries(DOMAINS.map((domain) => [domain, schema]))));
    services = new ServiceProcesses({
      ...s3.credentials,
      SEAM_DATA_FOLDER: folder,
      SEAM_ENTRY_SCHEMAS: entrySchemas,
      // Outcomes alone are planted.
      SEAM_EVIDENCE: 'none',
      SEAM_BUFFER_RULES_MAX_ROWS_PER_SUBJECT: '0',
      SEAM_BUFFER_COMMIT_EVERY_PROBLEMS: String(PROBLEMS_PER_VERSION),
      SEAM_BUFFER_FORMATS: '["parquet","jsonl"]',
      SEAM_OBJECT_STORE_DRIVER: 's3',
      SEAM_OBJECT_STORE_S3_BUCKET: s3.bucket,
      SEAM_OBJECT_STORE_S3_PREFIX: PREFIX,
      SEAM_OBJECT_STORE_S3_ENDPOINT: s3.address.endpoint,
      SEAM_OBJECT_STORE_S3_REGION: s3.address.region,
      SEAM_OBJECT_STORE_S3_PATH_STYLE: 'true',
    });
    services.start('buffer');
    commits = [];
    for (let version = 1; version <= VERSIONS; version++) {
      const first = (version - 1) * PROBLEMS_PER_VERSION;
      const numbers = Array.from({ length: PROBLEMS_PER_VERSION }, (_, index) => first + index);
      await log.append(numbers.flatMap(outcomesOf).map(encodeEvent));
      const giveUp = Date.now() + 60_000;
      while (commits.length < version) {
        if (Date.now() > giveUp || services.complaints().length > 0)
          throw new Error(`version ${version} did not come\n${services.complaints().join('\n')}`);
        await pause(50);
        commits = ofType(await allEventsOf(log, [TOPIC.buffer]), 'BufferCommitted').sort(
          (a, b) => a.sequence - b.sequence,
        );
      }
      // The snapshot and the versions in the bucket are all that the next process has.
      if (version === 2) await services.killAndRestart('buffer');
    }
  }, 300_000);
  afterAll(async () => {
    await services.end();
    await log.close();
    await rm(folder, { recursive: true });
    await s3.stop();
  });

  it('is written by a service that was given S3 by its configuration, also after kill -9', () => {
    expect(services.complaints()).toEqual([]);
    expect(commits.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(commits.at(-1)!.rows).toBeGreaterThan(30);
  });

  it('says to boto3, pyarrow and DuckDB what it says to us: the same counts, strata and rows', async () => {
    const last = commits.at(-1)!;
    const store = await s3.open({ prefix: PREFIX });
    const ours = await readVersion(decodeManifest(await store.get(last.manifestKey)), (key) => store.get(key));
    await store.close();
    const python = await pythonWith(PACKAGES);
    const { status, stdout, stderr } = await python.run(SCRIPT, [s3.address.endpoint, s3.bucket, `${PREFIX}/buffer/`], {
      env: s3.credentials as Record<string, string>,
      timeoutMs: 120_000,
    });
    expect([status, stderr]).toEqual([0, '']);
    const found = JSON.parse(stdout) as Found;
    expect(found).toMatchObject({
      versions: VERSIONS,
      manifestDigest: last.manifestDigest,
      bufferDigest: last.bufferDigest,
      rows: ours.length,
      strata: last.rowsPerStratum,
      hard: ours.filter(({ stratum }) => stratum.endsWith('/hard')).length,
    });
    const expected = ours.map((row) => ({ ...row, difficulty: row.stratum.slice(row.stratum.lastIndexOf('/') + 1) }));
    expect(new Set(expected.map(({ stratum }) => stratum)).size).toBeGreaterThan(5);
    expect(found.arrow).toEqual(expected);
    expect(found.duckdb).toEqual(expected);
  }, 300_000);
});

interface Found {
  readonly versions: number;
  readonly manifestDigest: string;
  readonly bufferDigest: string;
  readonly rows: number;
  readonly strata: Readonly<Record<string, number>>;
  readonly hard: number;
  readonly arrow: readonly (BufferRow & { readonly difficulty: string })[];
  readonly duckdb: readonly (BufferRow & { readonly difficulty: string })[];
}

function outcomesOf(index: number): EventOf<'OutcomeRecorded'>[] {
  const random = Random.of('read by others', index);
  const problemId = `p-${index}`;
  const groupId = derivedId(problemId, 'problem');
  return Array.from({ length: 4 }, (_, candidateIndex) => {
    const experienceId = derivedId(groupId, 'experience', candidateIndex);
    const success = random.float() < ((index % 5) + 1) / 6;
    return {
      ...EXAMPLE_EVENTS.OutcomeRecorded,
      meta: originMeta({
        messageId: derivedId(experienceId, 'outcome'),
        correlationId: problemId,
        source: 'seam/executor',
        occurredAt: 1_700_000_000_000,
        sourceClass: 'model',
      }),
      problem: {
        problemId,
        domain: DOMAINS[index % DOMAINS.length]!,
        prompt: `Problem ${index}, „${sha256(String(index))}“ 🌳`,
        reference: '4',
        verifier: { kind: 'exact', version: '1', options: {} },
        metadata: {},
      },
      experienceId,
      groupId,
      candidateIndex,
      groupSize: 4,
      arm: 'explore',
      entry: JSON.stringify({
        concepts: [WORDS[(index + candidateIndex) % 3]],
        strategy: ['once'],
        pitfalls: ['none'],
      }),
      promptTokenIds: [1, 2, index],
      tokenIds: [4, 5, candidateIndex],
      forced: [true, false, true],
      baseModelDigest: 'base',
      adapterDigest: index % 2 === 0 ? null : 'a'.repeat(64),
      success,
      reward: success ? 1 : 0,
    };
  });
}
