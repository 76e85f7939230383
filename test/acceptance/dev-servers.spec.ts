/** Apache Kafka, the S3 server and the schema registry really start, serve what the drivers need, and outlive a kill. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { jest } from '@jest/globals';
import {
  KAFKA_VERSIONS,
  type Kafka,
  type S3,
  type SchemaRegistry,
  startKafka,
  startS3,
  startSchemaRegistry,
} from '@seamstream/dev-servers';

// The first run fetches the servers.
jest.setTimeout(900_000);

const TOPICS = 'org.apache.kafka.tools.TopicCommand';
const CONSUMER = 'org.apache.kafka.tools.consumer.ConsoleConsumer';

async function createTopic(kafka: Kafka, topic: string): Promise<void> {
  const { status, stderr } = await kafka.tool(TOPICS, [
    '--bootstrap-server',
    kafka.bootstrap,
    '--create',
    '--topic',
    topic,
  ]);
  if (status !== 0) throw new Error(stderr);
}

async function write(kafka: Kafka, topic: string, values: readonly string[]): Promise<void> {
  const tool = kafka.version.startsWith('3.')
    ? 'kafka.tools.ConsoleProducer'
    : 'org.apache.kafka.tools.ConsoleProducer';
  const input = values.map((value) => `${value}\n`).join('');
  const run = await kafka.tool(tool, ['--bootstrap-server', kafka.bootstrap, '--topic', topic], { input });
  if (run.status !== 0) throw new Error(run.stderr);
}

async function readAll(kafka: Kafka, topic: string, count: number): Promise<string[]> {
  const range = ['--from-beginning', '--max-messages', String(count), '--timeout-ms', '30000'];
  const { stdout } = await kafka.tool(CONSUMER, ['--bootstrap-server', kafka.bootstrap, '--topic', topic, ...range]);
  return stdout.trim().split('\n').sort();
}

describe.each(KAFKA_VERSIONS)('Apache Kafka %s', (version) => {
  it('keeps its records over the kill of its only broker', async () => {
    const kafka = await startKafka({ version });
    try {
      await createTopic(kafka, 'facts');
      await write(kafka, 'facts', ['one', 'two', 'three']);
      const before = kafka.brokers[0]?.pid;
      await kafka.kill(0);
      expect(kafka.brokers[0]?.pid).toBeUndefined();
      await kafka.restart(0);
      expect(kafka.brokers[0]?.pid).not.toBe(before);
      expect(await readAll(kafka, 'facts', 3)).toEqual(['one', 'three', 'two']);
    } finally {
      await kafka.stop();
    }
    expect(() => process.kill(kafka.brokers[0]?.pid ?? 2 ** 30, 0)).toThrow();
  });
});

it('a cluster of three has three copies of a record, and serves it after one broker was killed', async () => {
  const kafka = await startKafka({ brokers: 3 });
  try {
    await createTopic(kafka, 'facts');
    await write(kafka, 'facts', ['one', 'two']);
    const described = await kafka.tool(TOPICS, [
      '--bootstrap-server',
      kafka.bootstrap,
      '--describe',
      '--topic',
      'facts',
    ]);
    expect(described.stdout).toContain('ReplicationFactor: 3');
    await kafka.kill(0);
    expect(await readAll(kafka, 'facts', 2)).toEqual(['one', 'two']);
  } finally {
    await kafka.stop();
  }
});

it('secured listeners demand a certificate or a password, and take ours', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secured-'));
  const kafka = await startKafka({ security: true });
  try {
    if (kafka.secured === undefined) throw new Error('started with security');
    const { mtls, saslTls, saslPlaintext, username, password, certificates } = kafka.secured;
    const handshake = (own: { cert?: string; key?: string }): Promise<string> =>
      new Promise((resolve) => {
        const [host, port] = mtls.split(':') as [string, string];
        const socket = tlsConnect({ host, port: Number(port), ca: certificates.authority, ...own });
        // With TLS 1.3 a refusal of the client comes after the client's handshake: as an error, else the server is silent.
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        socket.once('secureConnect', () => setTimeout(() => resolve('accepted'), 500).unref());
        setTimeout(() => socket.destroy(), 1000).unref();
      });
    expect(await handshake({ cert: certificates.client.certificate, key: certificates.client.key })).toBe('accepted');
    expect(await handshake({})).toMatch(/CERTIFICATE|ALERT|ECONNRESET/);

    const login = async (
      listener: string,
      mechanism: string,
      module: string,
      secret: string,
    ): Promise<number | null> => {
      const properties = [
        `sasl.mechanism=${mechanism}`,
        `security.protocol=${listener === saslTls ? 'SASL_SSL' : 'SASL_PLAINTEXT'}`,
        'ssl.truststore.type=PEM',
        `ssl.truststore.certificates=${certificates.authority.replaceAll('\n', '\\n')}`,
        `sasl.jaas.config=org.apache.kafka.common.security.${module} required username="${username}" password="${secret}";`,
      ];
      const file = join(folder, 'client.properties');
      await writeFile(file, `${properties.join('\n')}\n`);
      const run = await kafka.tool(TOPICS, ['--bootstrap-server', listener, '--list', '--command-config', file]);
      return run.status;
    };
    expect(await login(saslTls, 'SCRAM-SHA-512', 'scram.ScramLoginModule', password)).toBe(0);
    expect(await login(saslPlaintext, 'PLAIN', 'plain.PlainLoginModule', password)).toBe(0);
    expect(await login(saslTls, 'SCRAM-SHA-512', 'scram.ScramLoginModule', 'wrong')).not.toBe(0);
  } finally {
    await rm(folder, { recursive: true });
    await kafka.stop();
  }
});

describe('the S3 server', () => {
  let s3: S3;
  let client: S3Client;
  const Bucket = 'bucket';
  beforeAll(async () => {
    s3 = await startS3();
    client = new S3Client({
      endpoint: s3.endpoint,
      region: s3.region,
      forcePathStyle: true,
      credentials: s3,
      maxAttempts: 1,
    });
    await client.send(new CreateBucketCommand({ Bucket }));
  });
  afterAll(async () => {
    client.destroy();
    await s3.stop();
  });
  /** HTTP status of a request, whether it succeeds or not. */
  const statusOf = (request: Promise<{ $metadata: { httpStatusCode?: number } }>): Promise<number | undefined> =>
    request.then(
      ({ $metadata }) => $metadata.httpStatusCode,
      (error: unknown) => (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode,
    );
  const sorted = (statuses: readonly (number | undefined)[]): string => statuses.map(String).sort().join(' ');
  const WRITERS = ['1', '2', '3', '4', '5', '6', '7', '8'];
  const ONE_OF_EIGHT = '200 412 412 412 412 412 412 412';

  it('lets one of eight writers create an object', async () => {
    for (let race = 0; race < 20; race++) {
      const write = (Body: string) =>
        statusOf(client.send(new PutObjectCommand({ Bucket, Key: `race-${race}`, Body, IfNoneMatch: '*' })));
      expect(sorted(await Promise.all(WRITERS.map(write)))).toBe(ONE_OF_EIGHT);
    }
  });

  it('lets one of eight writers replace the version that they all have read, by its quoted tag', async () => {
    const first = await client.send(new PutObjectCommand({ Bucket, Key: 'state', Body: '0' }));
    expect(first.ETag).toMatch(/^".+"$/);
    const swap = (Body: string) =>
      statusOf(client.send(new PutObjectCommand({ Bucket, Key: 'state', Body, IfMatch: first.ETag })));
    expect(sorted(await Promise.all(WRITERS.map(swap)))).toBe(ONE_OF_EIGHT);
  });

  it('completes one of two multipart uploads of a new object, and gives ranges across its parts', async () => {
    const Key = 'large';
    const upload = async (): Promise<() => Promise<number | undefined>> => {
      const { UploadId } = await client.send(
        new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'CRC32' }),
      );
      const bodies = [new Uint8Array(5 * 1024 * 1024).fill(1), new Uint8Array(1000).fill(2)];
      const Parts = await Promise.all(
        bodies.map(async (Body, index) => {
          const part = { Bucket, Key, UploadId, PartNumber: index + 1, Body };
          const { ETag, ChecksumCRC32 } = await client.send(new UploadPartCommand(part));
          return { PartNumber: index + 1, ETag, ChecksumCRC32 };
        }),
      );
      const completion = { Bucket, Key, UploadId, MultipartUpload: { Parts }, IfNoneMatch: '*' };
      return () => statusOf(client.send(new CompleteMultipartUploadCommand(completion)));
    };
    const completions = [await upload(), await upload()];
    expect(sorted(await Promise.all(completions.map((complete) => complete())))).toBe('200 412');
    const Range = `bytes=${5 * 1024 * 1024 - 2}-${5 * 1024 * 1024 + 1}`;
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }));
    expect([...((await Body?.transformToByteArray()) ?? [])]).toEqual([1, 1, 2, 2]);
  });

  it('refuses a body that does not match its checksum', async () => {
    const ChecksumSHA256 = Buffer.alloc(32).toString('base64');
    expect(await statusOf(client.send(new PutObjectCommand({ Bucket, Key: 'bad', Body: 'x', ChecksumSHA256 })))).toBe(
      400,
    );
  });

  it('has its objects again after it was killed', async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: 'kept', Body: 'still here' }));
    await s3.kill();
    expect(await statusOf(client.send(new GetObjectCommand({ Bucket, Key: 'kept' })))).toBeUndefined();
    await s3.restart();
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'kept' }));
    expect(await Body?.transformToString()).toBe('still here');
  });
});

describe('the schema registry', () => {
  let registry: SchemaRegistry;
  beforeAll(async () => {
    registry = await startSchemaRegistry();
  });
  afterAll(async () => registry.stop());
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; answer: unknown }> => {
    const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json' };
    const response = await fetch(registry.url + path, { method, headers, body: body ? JSON.stringify(body) : null });
    return { status: response.status, answer: await response.json() };
  };
  const record = (...fields: object[]): { schema: string } => ({
    schema: JSON.stringify({ type: 'record', name: 'Fact', fields: [{ name: 'id', type: 'string' }, ...fields] }),
  });

  it('registers a schema once, gives it by its id, refuses what cannot read it, and knows it after a kill', async () => {
    const first = await call('POST', '/subjects/facts-Fact/versions', record());
    expect(first.status).toBe(200);
    const { id } = first.answer as { id: number };
    expect(await call('POST', '/subjects/facts-Fact/versions', record())).toEqual(first);
    expect(await call('GET', `/schemas/ids/${id}`)).toMatchObject({ status: 200, answer: record() });

    const breaking = record({ name: 'size', type: 'int' });
    const compatible = record({ name: 'size', type: 'int', default: 0 });
    const check = '/compatibility/subjects/facts-Fact/versions/latest';
    expect((await call('POST', check, breaking)).answer).toMatchObject({ is_compatible: false });
    expect((await call('POST', check, compatible)).answer).toMatchObject({ is_compatible: true });
    expect((await call('POST', '/subjects/facts-Fact/versions', breaking)).status).toBe(409);
    const second = await call('POST', '/subjects/facts-Fact/versions', compatible);
    expect(second.status).toBe(200);

    await registry.kill();
    await expect(call('GET', '/subjects')).rejects.toThrow('fetch failed');
    await registry.restart();
    const { id: newest } = second.answer as { id: number };
    expect(await call('GET', `/schemas/ids/${newest}`)).toMatchObject({ status: 200, answer: compatible });
  });
});
