import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isAllowed, parseS3Policy } from '../support/s3-policy.js';

const textOf = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../infra/s3/${name}.json`, import.meta.url)), 'utf8');
const bucketPolicy = parseS3Policy(textOf('bucket/policy'));

/** Objects as the services name them. */
const KEYS = {
  'buffer/000004-0123456789abcdef/manifest.json': 'version',
  'buffer/2-of-3/000004-0123456789abcdef/part-0.parquet': 'version of a shard',
  'adapters/4f2a/adapter.safetensors': 'adapter',
  'models/parts/4f2a': 'model',
  'training/run-1/000010.bin': 'checkpoint',
  'operations/in-hand/seam.generator/seam.problems/0.json': 'mark of the generator',
  'operations/in-hand/seam.executor/seam.experiences/0.json': 'mark of the executor',
  'operations/in-hand/seam.buffer/seam.outcomes/0.json': 'mark of the buffer',
  'operations/in-hand/seam.trainer/seam.outcomes/0.json': 'mark of the trainer',
  'something/else': 'anything else',
} as const;
const VERSIONS = ['version', 'version of a shard'];

/** Who may do what; no other principal may do it. */
const MAY: Readonly<Record<string, Readonly<Record<'Get' | 'Put' | 'Delete', readonly string[]>>>> = {
  generator: { Get: ['adapter', 'model', 'mark of the generator'], Put: ['mark of the generator'], Delete: [] },
  executor: { Get: ['model', 'mark of the executor'], Put: ['mark of the executor'], Delete: [] },
  buffer: {
    Get: [...VERSIONS, 'mark of the buffer'],
    Put: [...VERSIONS, 'mark of the buffer'],
    Delete: [],
  },
  trainer: {
    Get: [...VERSIONS, 'adapter', 'model', 'checkpoint', 'mark of the trainer'],
    Put: ['adapter', 'checkpoint', 'mark of the trainer'],
    Delete: ['checkpoint'],
  },
  operator: { Get: Object.values(KEYS), Put: ['adapter', 'model', 'checkpoint'], Delete: ['checkpoint'] },
  reader: { Get: Object.values(KEYS), Put: [], Delete: [] },
};

describe.each(Object.entries(MAY))('on S3 the %s', (service, may) => {
  const policies = [parseS3Policy(textOf(`policies/${service}`)), bucketPolicy];

  it.each(['Get', 'Put', 'Delete'] as const)('may %s what it needs to and nothing else, by TLS alone', (verb) => {
    const request = (key: string, isTls: boolean): boolean =>
      isAllowed(policies, { action: `s3:${verb}Object`, resource: `arn:aws:s3:::BUCKET/PREFIX/${key}`, isTls });
    const allowed = Object.entries(KEYS).filter(([key]) => request(key, true));
    expect(allowed.map(([, what]) => what)).toEqual(Object.values(KEYS).filter((what) => may[verb].includes(what)));
    expect(Object.keys(KEYS).filter((key) => request(key, false))).toEqual([]);
    expect(
      isAllowed(policies, { action: `s3:${verb}Object`, resource: 'arn:aws:s3:::BUCKET/other', isTls: true }),
    ).toBe(false);
  });

  it('sees what is there and changes nothing about the bucket', () => {
    const bucket = (action: string): boolean =>
      isAllowed(policies, { action, resource: 'arn:aws:s3:::BUCKET', isTls: true });
    expect(bucket('s3:ListBucket')).toBe(true);
    for (const action of ['s3:PutBucketPolicy', 's3:DeleteBucket', 's3:PutBucketAcl', 's3:PutLifecycleConfiguration'])
      expect([action, bucket(action)]).toEqual([action, false]);
  });
});

describe('the bucket', () => {
  it('is private: no list of rights and no policy makes it public', () => {
    expect(Object.values(JSON.parse(textOf('bucket/public-access-block')) as object)).toEqual([true, true, true, true]);
  });

  it('keeps what was overwritten, and encrypts even what no request asked to encrypt', () => {
    expect(JSON.parse(textOf('bucket/versioning'))).toEqual({ Status: 'Enabled' });
    expect(textOf('bucket/encryption')).toContain('"SSEAlgorithm": "AES256"');
  });

  it('lets no principal delete versions of the buffer or adapters, even with all other rights', () => {
    const everything = parseS3Policy(
      JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Sid: 'All', Effect: 'Allow', Action: 's3:*', Resource: '*' }],
      }),
    );
    const deletes = (key: string): boolean =>
      isAllowed([everything, bucketPolicy], {
        action: 's3:DeleteObject',
        resource: `arn:aws:s3:::BUCKET/PREFIX/${key}`,
        isTls: true,
      });
    expect(Object.keys(KEYS).filter((key) => !deletes(key))).toEqual([
      'buffer/000004-0123456789abcdef/manifest.json',
      'buffer/2-of-3/000004-0123456789abcdef/part-0.parquet',
      'adapters/4f2a/adapter.safetensors',
    ]);
  });
});
