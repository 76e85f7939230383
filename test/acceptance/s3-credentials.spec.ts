/** S3 credentials that are replaced while the store is open. They come from the SDK's default chain: here from a program, as roles give theirs. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type S3, S3_BUCKET, startS3 } from '@seamstream/dev-servers';
import { S3ObjectStore } from '@seamstream/object-store-s3';

/** The SDK fetches new credentials so long before the old ones expire. */
const SDK_REFRESHES_BEFORE_MS = 5 * 60_000;
const VALID_MS = 2_000;

let s3: S3;
let folder: string;

beforeAll(async () => {
  [s3, folder] = await Promise.all([startS3(), mkdtemp(join(tmpdir(), 's3-credentials-'))]);
}, 300_000);
afterAll(async () => {
  await s3.stop();
  await rm(folder, { recursive: true });
});

it('R37: new ones are taken before the old expire, no call fails, and the old ones are worth nothing afterwards', async () => {
  await writeFile(
    join(folder, 'config'),
    `[default]\nregion = ${s3.region}\ncredential_process = cat ${join(folder, 'credentials.json')}\n`,
  );
  delete process.env.AWS_ACCESS_KEY_ID;
  delete process.env.AWS_SECRET_ACCESS_KEY;
  delete process.env.AWS_SESSION_TOKEN;
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, {
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  });
  await s3.addUser('before', 'secret-before');
  await s3.addUser('after', 'secret-after');
  await give('before', 'secret-before', VALID_MS);
  const options = { bucket: S3_BUCKET, endpoint: s3.endpoint, pathStyle: true, prefix: 'ours', maxAttempts: 1 };
  const store = await S3ObjectStore.open(options);
  const written: string[] = [];
  const work = async (untilMs: number): Promise<void> => {
    while (performance.now() < untilMs) {
      const key = `object-${written.length}`;
      await store.put(key, Buffer.from(key), { ifMatch: 'absent' });
      expect(Buffer.from(await store.get(key)).toString()).toBe(key);
      written.push(key);
      await pause(20);
    }
  };
  try {
    const begun = performance.now();
    await work(begun + VALID_MS / 2);
    await give('after', 'secret-after', 3_600_000);
    await work(begun + VALID_MS + 1_000);
    await s3.removeUser('before');
    await work(performance.now() + 1_000);
    expect(written.length).toBeGreaterThan(20);
    const listed: string[] = [];
    for await (const { key } of store.list('')) listed.push(key);
    expect(listed.sort()).toEqual(written.sort());
    // A client that still has the old ones gets an error that says so.
    await give('before', 'secret-before', 3_600_000);
    await expect(S3ObjectStore.open(options)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('Check the credentials'),
    });
  } finally {
    await store.close();
  }
}, 60_000);

/** What the program will say from now on. */
async function give(accessKeyId: string, secretAccessKey: string, validMs: number): Promise<void> {
  const said = {
    Version: 1,
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Expiration: new Date(Date.now() + SDK_REFRESHES_BEFORE_MS + validMs).toISOString(),
  };
  await writeFile(join(folder, 'next.json'), JSON.stringify(said));
  await rename(join(folder, 'next.json'), join(folder, 'credentials.json'));
}
