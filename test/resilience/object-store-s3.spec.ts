/** The S3 driver between a real server and a network that fails: what it must hold is in the names. R22–R25. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import {
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { jest } from '@jest/globals';
import { newId, Random, type SeamError } from '@seamstream/kernel';
import { S3ObjectStore, type S3ObjectStoreOptions } from '@seamstream/object-store-s3';
import { type Fault, FaultProxy, type SeenRequest } from '../support/fault-proxy.js';
import { type S3Bucket, s3Bucket } from '../support/s3-bucket.js';

const CHILD = fileURLToPath(new URL('../support/object-store-s3.child.mjs', import.meta.url));
const MIB = 1024 ** 2;
const IN_PARTS = { multipartThresholdBytes: 0, partBytes: 5 * MIB };

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const text = (value: Uint8Array): string => Buffer.from(value).toString();
const answer = (status: number, code: string): Fault => ({ kind: 'answer', status, code });

async function refusalOf(action: Promise<unknown>): Promise<SeamError> {
  return action.then(
    () => {
      throw new Error('expected a refusal, but the call succeeded');
    },
    (error: unknown) => error as SeamError,
  );
}

let s3: S3Bucket;
let proxy: FaultProxy;
let opened: S3ObjectStore[];
let folder: string;

beforeAll(async () => {
  s3 = await s3Bucket();
  proxy = await FaultProxy.start(s3.address.endpoint);
}, 300_000);
afterAll(async () => {
  await proxy.stop();
  await s3.stop();
});
beforeEach(() => {
  opened = [];
  folder = newId();
});
afterEach(async () => {
  proxy.disturb(() => undefined);
  await Promise.all(opened.map((store) => store.close()));
});

/** A store behind the proxy. */
async function open(options: Partial<S3ObjectStoreOptions> = {}): Promise<S3ObjectStore> {
  const store = await s3.open({ endpoint: proxy.endpoint, ...options });
  opened.push(store);
  return store;
}

async function unfinishedUploads(): Promise<readonly string[]> {
  const { Uploads } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket }));
  return (Uploads ?? []).map(({ Key }) => Key ?? '');
}

describe('a server that fails for a while', () => {
  it.each([
    ['500', answer(500, 'InternalError')],
    ['503 SlowDown', answer(503, 'SlowDown')],
    ['429', answer(429, 'TooManyRequests')],
    ['a connection that is reset', { kind: 'reset' }],
    ['no answer in time', { kind: 'silence' }],
  ] as const)('is asked again: %s', async (_, fault) => {
    const store = await open({ requestTimeoutMs: 300 });
    const key = `${folder}/a`;
    proxy.disturbFirst(2, 'PUT', fault);
    const put = await store.put(key, bytes('kept'));
    expect(proxy.seen.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT']);
    proxy.disturbFirst(2, 'HEAD', fault);
    expect(await store.head(key)).toEqual(put);
    proxy.disturbFirst(2, 'GET', fault);
    expect(text(await store.get(key))).toBe('kept');
    proxy.disturbFirst(2, 'GET', fault);
    const listed = [];
    for await (const info of store.list(folder)) listed.push(info);
    expect(listed).toEqual([put]);
    proxy.disturbFirst(2, 'DELETE', fault);
    await store.delete(key);
    expect(await store.head(key)).toBeUndefined();
  });

  it('is given up after six tries, with an error that a caller may retry', async () => {
    const store = await open();
    proxy.disturb(() => answer(503, 'SlowDown'));
    expect(await refusalOf(store.put(`${folder}/a`, bytes('x')))).toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
      retryable: true,
      details: { code: 'SlowDown', status: 503, tries: 6 },
    });
    expect(proxy.seen).toHaveLength(6);
    proxy.disturb(() => ({ kind: 'reset' }));
    expect(await refusalOf(open())).toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
    expect(proxy.seen).toHaveLength(6);
  });

  it('R22: with 30 % of all calls failing, each object is there once, whole, after at most six tries', async () => {
    const store = await open({ requestTimeoutMs: 1_000 });
    const random = Random.of('R22');
    const faults: Fault[] = [
      answer(500, 'InternalError'),
      answer(503, 'SlowDown'),
      { kind: 'reset' },
      { kind: 'silence' },
      { kind: 'lost-answer' },
      { kind: 'half-upload' },
    ];
    proxy.disturb(() => (random.float() < 0.3 ? faults[random.int(faults.length)] : undefined));
    const names = Array.from({ length: 200 }, (_, index) => `${folder}/${String(index).padStart(3, '0')}`);
    const results = await Promise.allSettled(
      names.map((name) => store.put(name, bytes(`content of ${name}`), { ifMatch: 'absent' })),
    );
    const requestsPerKey = Map.groupBy(
      proxy.seen.filter(({ method }) => method === 'PUT'),
      ({ url }) => url.split('?')[0],
    );
    for (const requests of requestsPerKey.values()) expect(requests.length).toBeLessThanOrEqual(6);
    proxy.disturb(() => undefined);
    // 0.3^6 of the calls fail for good: none or one of 200, and that one says so.
    expect(results.filter(({ status }) => status === 'rejected').length).toBeLessThanOrEqual(2);
    for (const [index, name] of names.entries()) {
      const result = results[index]!;
      if (result.status === 'fulfilled') expect(text(await store.get(name))).toBe(`content of ${name}`);
      else expect(result.reason).toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
    }
    const listed: string[] = [];
    for await (const { key } of store.list(folder)) listed.push(key);
    expect(listed).toEqual(names.filter((name) => listed.includes(name)));
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('and one whose clock differs by two hours is believed: the request is signed again with its time', async () => {
    const store = await open();
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 2 * 3_600_000);
    try {
      await store.put(`${folder}/a`, bytes('in time'), { ifMatch: 'absent' });
      expect(proxy.seen.length).toBeGreaterThan(1);
      expect(text(await store.get(`${folder}/a`))).toBe('in time');
    } finally {
      clock.mockRestore();
    }
  });
});

describe('half an upload', () => {
  it('is no object: the upload is sent again as a whole', async () => {
    const store = await open();
    const other = await s3.open();
    opened.push(other);
    const body = new Uint8Array(MIB).fill(3);
    let seenBetween: unknown = 'not looked';
    proxy.disturbFirst(1, 'PUT', { kind: 'half-upload' });
    const putting = store.put(`${folder}/a`, body);
    seenBetween = await other.head(`${folder}/a`);
    await putting;
    expect(seenBetween === undefined || (seenBetween as { sizeBytes: number }).sizeBytes === MIB).toBe(true);
    expect(Buffer.compare(await store.get(`${folder}/a`), body)).toBe(0);
  });

  it('of one part costs that part only', async () => {
    const store = await open(IN_PARTS);
    const body = new Uint8Array(12 * MIB).map((_, index) => index >>> 12);
    proxy.disturbFirst(2, 'PUT', { kind: 'half-upload' });
    await store.put(`${folder}/a`, body, { ifMatch: 'absent' });
    expect(proxy.seen.filter(({ method }) => method === 'PUT')).toHaveLength(5);
    expect(Buffer.compare(await store.get(`${folder}/a`), body)).toBe(0);
    expect(await unfinishedUploads()).toEqual([]);
  });

  it('that cannot be finished is aborted: no object, and no parts left', async () => {
    const store = await open(IN_PARTS);
    proxy.disturb(({ url }) => (url.includes('partNumber=2') ? answer(503, 'SlowDown') : undefined));
    expect(await refusalOf(store.put(`${folder}/a`, new Uint8Array(12 * MIB)))).toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
    });
    expect(proxy.seen.filter(({ url }) => url.includes('partNumber=2'))).toHaveLength(6);
    expect([await store.head(`${folder}/a`), await unfinishedUploads()]).toEqual([undefined, []]);
  });

  it('R23: a writer that is killed after any part or before completion leaves no object, and nothing after a sweep', async () => {
    const killAt: readonly ((request: SeenRequest) => boolean)[] = [
      ({ url }) => url.includes('partNumber=1'),
      ({ url }) => url.includes('partNumber=2'),
      ({ url }) => url.includes('partNumber=3'),
      ({ method, url }) => method === 'POST' && url.includes('uploadId='),
    ];
    for (const [index, isFatal] of killAt.entries()) {
      const key = `${folder}/${index}`;
      const child = spawn(process.execPath, [CHILD, proxy.endpoint, s3.bucket, key, String(12 * MIB)], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { PATH: process.env.PATH, ...s3.credentials },
      });
      proxy.disturb((request) => {
        if (!isFatal(request)) return undefined;
        child.kill('SIGKILL');
        return { kind: 'reset' };
      });
      const signal = await new Promise((resolve) => child.once('close', (_, by) => resolve(by)));
      expect(signal).toBe('SIGKILL');
      proxy.disturb(() => undefined);
      const store = await open();
      expect(await store.head(key)).toBeUndefined();
      expect(await unfinishedUploads()).toEqual([key]); // a day old it would be swept
      await open({ sweepAfterMs: -1_000, prefix: folder });
      expect(await unfinishedUploads()).toEqual([]);
      await store.put(key, bytes('after all'), { ifMatch: 'absent' });
    }
  }, 120_000);

  it('of another client, or below another prefix, is left alone', async () => {
    const { client, bucket } = s3;
    const key = `${folder}/theirs`;
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key }));
    await client.send(new UploadPartCommand({ Bucket: bucket, Key: key, UploadId, PartNumber: 1, Body: bytes('x') }));
    await open({ sweepAfterMs: -1_000, prefix: `${folder}-ours` });
    await open({ sweepAfterMs: -1_000 }); // the whole bucket: they may be anybody's
    expect(await unfinishedUploads()).toEqual([key]);
    await open({ sweepAfterMs: -1_000, prefix: folder });
    expect(await unfinishedUploads()).toEqual([]);
  });
});

describe('a conditional write whose answer is lost', () => {
  it.each([
    ['in one request', {}, 'PUT'],
    ['in parts', IN_PARTS, 'POST'],
  ] as const)('has won all the same, and says so (%s)', async (_, options, method) => {
    const store = await open(options);
    const key = `${folder}/a`;
    const first = new Uint8Array(6 * MIB).fill(1);
    const second = new Uint8Array(6 * MIB).fill(2);
    const loseTheDecision = (): void => {
      let left = 1;
      proxy.disturb((request) =>
        request.method === method && !request.url.includes('uploads') && left-- > 0
          ? { kind: 'lost-answer' }
          : undefined,
      );
    };
    loseTheDecision();
    const created = await store.put(key, first, { ifMatch: 'absent' });
    // It asked or looked again; only the server knows which try the answer was to.
    const lost = proxy.seen.findIndex((request) => request.method === method && !request.url.includes('uploads'));
    expect(proxy.seen.length).toBeGreaterThan(lost + 1);
    expect(await store.head(key)).toEqual(created);
    loseTheDecision();
    const replaced = await store.put(key, second, { ifMatch: { etag: created.etag } });
    expect(await store.head(key)).toEqual(replaced);
    expect(Buffer.compare(await store.get(key), second)).toBe(0);
    expect(await unfinishedUploads()).toEqual([]);
  });

  it('has lost when another writer was in between, also one with the same content', async () => {
    const store = await open();
    const key = `${folder}/a`;
    let rival: Promise<unknown> | undefined;
    proxy.disturb(({ method }) => {
      if (method !== 'PUT' || rival !== undefined) return undefined;
      rival = s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: key, Body: bytes('same') }));
      return { kind: 'silence' };
    });
    const slow = await open({ requestTimeoutMs: 500 });
    expect(await refusalOf(slow.put(key, bytes('same'), { ifMatch: 'absent' }))).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await rival;
    expect(text(await store.get(key))).toBe('same');
  });
});

describe('409 ConditionalRequestConflict', () => {
  const conflict = answer(409, 'ConditionalRequestConflict');

  it('is decided by looking: the key is free, so the write is tried again', async () => {
    const store = await open();
    proxy.disturbFirst(2, 'PUT', conflict);
    await store.put(`${folder}/a`, bytes('mine'), { ifMatch: 'absent' });
    expect(text(await store.get(`${folder}/a`))).toBe('mine');
  });

  it('is decided by looking: the key is taken, so the write has lost', async () => {
    const store = await open();
    const put = await store.put(`${folder}/a`, bytes('theirs'));
    proxy.disturb(({ method }) => (method === 'PUT' ? conflict : undefined));
    for (const ifMatch of ['absent', { etag: '0'.repeat(32) }] as const) {
      expect(await refusalOf(store.put(`${folder}/a`, bytes('mine'), { ifMatch }))).toMatchObject({
        code: 'PRECONDITION_FAILED',
        details: { etag: put.etag },
      });
    }
    expect(proxy.seen.filter(({ method }) => method === 'PUT')).toHaveLength(2);
  });

  it('that does not end is a failed precondition: read again, merge, try again', async () => {
    const store = await open();
    proxy.disturb(({ method }) => (method === 'PUT' ? conflict : undefined));
    expect(await refusalOf(store.put(`${folder}/a`, bytes('mine'), { ifMatch: 'absent' }))).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect(proxy.seen.filter(({ method }) => method === 'PUT')).toHaveLength(6);
  });
});

it('R24: eight writers race for one manifest, 100 rounds, answers lost, 409, 412 and 500 among them: one winner each', async () => {
  const stores = await Promise.all(Array.from({ length: 8 }, () => open({ maxAttempts: 12 })));
  const random = Random.of('R24');
  const faults: Fault[] = [
    { kind: 'lost-answer' },
    answer(409, 'ConditionalRequestConflict'),
    answer(412, 'PreconditionFailed'),
    answer(500, 'InternalError'),
  ];
  proxy.disturb(({ method }) =>
    method === 'PUT' && random.float() < 0.3 ? faults[random.int(faults.length)] : undefined,
  );
  const manifest = `${folder}/manifest`;
  let { etag } = await stores[0]!.put(manifest, bytes('nobody'));
  for (let round = 0; round < 100; round++) {
    const results = await Promise.allSettled(
      stores.map((store, writer) => store.put(manifest, bytes(`${round}: ${writer}`), { ifMatch: { etag } })),
    );
    const winners = results.flatMap((result, writer) => (result.status === 'fulfilled' ? [writer] : []));
    expect([round, winners.length]).toEqual([round, 1]);
    expect(text(await stores[0]!.get(manifest))).toBe(`${round}: ${winners[0]}`);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'PRECONDITION_FAILED' });
    etag = (results[winners[0]!] as PromiseFulfilledResult<{ etag: string }>).value.etag;
  }
}, 120_000);

it('R24: what losers merge is not lost, and not there twice', async () => {
  const stores = await Promise.all(Array.from({ length: 8 }, () => open({ maxAttempts: 12 })));
  const random = Random.of('R24 merge');
  const faults: Fault[] = [{ kind: 'lost-answer' }, answer(409, 'ConditionalRequestConflict')];
  proxy.disturb(({ method }) =>
    method === 'PUT' && random.float() < 0.3 ? faults[random.int(faults.length)] : undefined,
  );
  const manifest = `${folder}/manifest`;
  await stores[0]!.put(manifest, bytes(''));
  const add = async (store: S3ObjectStore, row: string): Promise<void> => {
    for (;;) {
      const head = await store.head(manifest);
      const before = text(await store.get(manifest));
      if ((await store.head(manifest))?.etag !== head!.etag) continue;
      if (before.split('\n').includes(row)) return; // won without knowing, and was replaced meanwhile
      try {
        await store.put(manifest, bytes(`${before}${row}\n`), { ifMatch: { etag: head!.etag } });
        return;
      } catch (error) {
        if ((error as SeamError).code !== 'PRECONDITION_FAILED') throw error;
      }
    }
  };
  await Promise.all(
    stores.map(async (store, writer) => {
      for (let row = 0; row < 5; row++) await add(store, `${writer}-${row}`);
    }),
  );
  const rows = text(await stores[0]!.get(manifest))
    .trim()
    .split('\n');
  expect(rows.toSorted()).toEqual(Array.from({ length: 40 }, (_, index) => `${Math.floor(index / 5)}-${index % 5}`));
}, 120_000);

describe('a download', () => {
  it.each(['half-download', 'stalled-download', 'flipped-download'] as const)(
    'that is damaged on the way is asked for again: %s',
    async (kind) => {
      const store = await open({ requestTimeoutMs: 300 });
      const body = new Uint8Array(300_000).fill(5);
      await store.put(`${folder}/a`, body);
      proxy.disturbFirst(2, 'GET', { kind });
      expect(Buffer.compare(await store.get(`${folder}/a`), body)).toBe(0);
      expect(proxy.seen).toHaveLength(3);
    },
  );

  it('that breaks off every time is an unavailable store, never a short object', async () => {
    const store = await open();
    await store.put(`${folder}/a`, new Uint8Array(300_000));
    proxy.disturb(() => ({ kind: 'half-download' }));
    expect(await refusalOf(store.get(`${folder}/a`))).toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
    expect(await refusalOf(store.get(`${folder}/a`, { from: 10, to: 200_000 }))).toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
    });
  });

  it('that comes with another bit every time is a corrupt object', async () => {
    const store = await open();
    await store.put(`${folder}/a`, new Uint8Array(1000));
    proxy.disturb(() => ({ kind: 'flipped-download' }));
    expect(await refusalOf(store.get(`${folder}/a`))).toMatchObject({ code: 'OBJECT_CORRUPT' });
  });

  it('R25: of an object that was changed at rest is refused, 100 of 100, in one part or several', async () => {
    const { client, bucket } = s3;
    const store = await open({ ...IN_PARTS, maxAttempts: 1 });
    const random = Random.of('R25');
    for (const size of [1000, 6 * MIB]) {
      const key = `${folder}/${size}`;
      const body = new Uint8Array(size).map((_, index) => index * 31);
      await store.put(key, body);
      const { Metadata = {} } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
      for (let round = 0; round < (size > MIB ? 3 : 97); round++) {
        const changed = round % 4 === 3 ? body.slice(0, size - 1 - random.int(size - 1)) : body.slice();
        if (changed.length === size) changed[random.int(size)]! ^= 1 << random.int(8);
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: changed, Metadata }));
        expect(await refusalOf(store.get(key))).toMatchObject({ code: 'OBJECT_CORRUPT' });
      }
    }
  });
});

it('an upload that is damaged on the way is refused by the server and sent again; every time, it is corrupt', async () => {
  const store = await open();
  const body = new Uint8Array(1000).fill(9);
  proxy.disturbFirst(1, 'PUT', { kind: 'flipped-upload' });
  await store.put(`${folder}/a`, body);
  expect(await store.get(`${folder}/a`)).toEqual(body);
  proxy.disturb(({ method }) => (method === 'PUT' ? { kind: 'flipped-upload' } : undefined));
  expect(await refusalOf(store.put(`${folder}/b`, body))).toMatchObject({ code: 'OBJECT_CORRUPT' });
  expect(await store.head(`${folder}/b`)).toBeUndefined();
});

describe('what is said about failures', () => {
  const said = (error: unknown): string =>
    `${inspect(error, { depth: 10, showHidden: true })} ${JSON.stringify(error)}`;

  it('holds no credentials and nothing that was signed with them', async () => {
    const { accessKeyId, secretAccessKey } = s3.address;
    const store = await open();
    proxy.disturb(() => ({
      kind: 'answer',
      status: 403,
      code: 'SignatureDoesNotMatch',
      fields: `<AWSAccessKeyId>${accessKeyId}</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256 ${accessKeyId}</StringToSign>`,
    }));
    const error = await refusalOf(store.get(`${folder}/a`));
    expect(error).toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE', details: { code: 'SignatureDoesNotMatch' } });
    expect(error.message).toContain('Check the credentials');
    expect(said(error)).not.toContain(accessKeyId);
    expect(said(error)).not.toContain(secretAccessKey);
  });

  it('names what to correct when the bucket or the credentials are wrong', async () => {
    expect(await refusalOf(open({ bucket: 'there-is-no-such-bucket' }))).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('There is no such bucket'),
    });
    const secret = process.env.AWS_SECRET_ACCESS_KEY;
    process.env.AWS_SECRET_ACCESS_KEY = 'not-the-secret';
    try {
      const error = await refusalOf(S3ObjectStore.open({ ...s3.address, bucket: s3.bucket, pathStyle: true }));
      expect(error).toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining('Check the credentials'),
      });
      expect(said(error)).not.toContain('not-the-secret');
    } finally {
      process.env.AWS_SECRET_ACCESS_KEY = secret;
    }
  });
});
