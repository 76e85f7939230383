/**
 * A real S3 server on this machine: versitygw over a temporary folder. It was chosen for its conditional writes
 * (`If-None-Match` and `If-Match` on PutObject and CompleteMultipartUpload), see docs/adr/0012.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.js';
import { mustRun } from './host-tools.js';
import { cached } from './server-cache.js';
import { removeFolder, ServerProcess, temporaryFolder } from './server-process.js';

export const S3_VERSION = '1.8.0';

/** A bucket that is there from the start. */
export const S3_BUCKET = 'seam';

export interface S3 {
  /** `http://127.0.0.1:PORT`; buckets are in the path, not in the host name. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Undefined while it is killed. */
  readonly pid: number | undefined;
  /** Signals it (default SIGKILL); resolves when it has ended, at once for SIGSTOP and SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it on its objects again, at the same address, ending it first where it still runs. */
  restart(): Promise<void>;
  /** Another pair of keys that may do everything, until it is removed. */
  addUser(accessKeyId: string, secretAccessKey: string): Promise<void>;
  removeUser(accessKeyId: string): Promise<void>;
  /** Ends it and deletes its objects. */
  stop(): Promise<void>;
}

async function gateway(): Promise<string> {
  const folder = await cached(`versitygw-${S3_VERSION}`, async (target) => {
    await mustRun(
      'go',
      ['install', `github.com/versity/versitygw/cmd/versitygw@v${S3_VERSION}`],
      `build versitygw ${S3_VERSION}, the S3 server`,
      'Go needs the network (or GOPROXY) the first time.',
      { env: { GOBIN: target, GOFLAGS: '-buildvcs=false' } },
    );
  });
  return join(folder, 'versitygw');
}

/** Whether the server answers: anything will do, an unsigned request is refused with 403. */
export async function s3Answers(endpoint: string): Promise<boolean> {
  return fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
    async (response) => (await response.arrayBuffer()).byteLength >= 0,
    () => false,
  );
}

/** Starts an S3 server with one empty bucket, {@link S3_BUCKET}. Throws INVALID_CONFIGURATION when Go or the network is missing, INTERNAL when it does not start. */
export async function startS3(): Promise<S3> {
  const command = await gateway();
  const folder = await temporaryFolder('s3');
  const objects = join(folder, 'objects');
  const users = join(folder, 'users');
  await mkdir(join(objects, S3_BUCKET), { recursive: true }); // a bucket is a folder there
  await mkdir(users);
  const [port] = (await freePorts(1)) as [number];
  const endpoint = `http://127.0.0.1:${port}`;
  const region = 'us-east-1';
  const accessKeyId = randomBytes(8).toString('hex');
  const secretAccessKey = randomBytes(16).toString('hex');
  const serverWith = (metadata: readonly string[]): ServerProcess =>
    new ServerProcess({
      name: 'S3 server',
      command,
      args: [
        ...['--quiet', '--keep-alive', '--port', `127.0.0.1:${port}`, '--region', region],
        ...['--iam-dir', users, '--iam-cache-disable', 'posix', ...metadata, objects],
      ],
      env: { ROOT_ACCESS_KEY_ID: accessKeyId, ROOT_SECRET_ACCESS_KEY: secretAccessKey },
      logFile: join(folder, 's3.log'),
      isReady: () => s3Answers(endpoint),
    });
  // In extended attributes metadata change together with the content, as on S3. Next to it, where the file system has none,
  // a reader may meet new content with the checksum of the old.
  let server = serverWith([]);
  const stop = async (): Promise<void> => {
    await server.kill('SIGKILL');
    await removeFolder(folder);
  };
  try {
    await server.start().catch(async () => {
      const metadata = join(folder, 'metadata');
      await mkdir(metadata);
      server = serverWith(['--sidecar', metadata]);
      await server.start();
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const administer = async (...args: readonly string[]): Promise<void> => {
    const admin = ['admin', '-a', accessKeyId, '-s', secretAccessKey, '-r', region, '--er', endpoint, ...args];
    await promisify(execFile)(command, admin);
  };
  return {
    endpoint,
    region,
    accessKeyId,
    secretAccessKey,
    get pid() {
      return server.pid;
    },
    kill: (signal = 'SIGKILL') => server.kill(signal),
    restart: async () => {
      await server.kill('SIGTERM');
      await server.start();
    },
    addUser: (access, secret) => administer('create-user', '-a', access, '-s', secret, '-r', 'admin'),
    removeUser: (access) => administer('delete-user', '-a', access),
    stop,
  };
}
