import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get as httpsGet } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, originMeta, TOPIC, TOPICS } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { openLog, until } from '@seamstream/testing';
import { type CommonConfig, commonConfigSchema } from './config/common-config.js';
import type { Environment } from './config/load-config.js';
import type { Drivers } from './drivers/drivers.js';
import { type RunningService, type ServiceDefinition, serviceLife, startService } from './run-service.js';
import { ConsumeTopic } from './transport/consume-topic.decorator.js';
import { done, type HandlerResult, halt } from './transport/handler-result.js';

const config = commonConfigSchema.parse({ logging: { level: 'silent' } });
let answer: HandlerResult = done();

@Controller()
class QuietConsumer {
  @ConsumeTopic({ topic: TOPIC.problems, group: 'seam.quiet', maxBatchRecords: 10 })
  async consume(): Promise<HandlerResult> {
    return answer;
  }
}

@Module({ controllers: [QuietConsumer] })
class QuietModule {}

async function serve(http: Partial<CommonConfig['http']> = {}): Promise<{
  log: InMemoryEventLog;
  service: RunningService;
  get: (path: string) => Promise<Response>;
}> {
  const log = await openLog();
  const service = await startService(
    { name: 'quiet', module: () => ({ module: QuietModule }) },
    {
      config: { ...config, http: { ...config.http, ...http } },
      drivers: { log, objects: new InMemoryObjectStore() },
      serveHttp: true,
    },
  );
  return { log, service, get: (path) => fetch(`${service.url}${path}`) };
}

describe('a running service', () => {
  it('is live and ready on a free port, reports its lag and its metrics, and ends orderly', async () => {
    answer = done();
    const { log, service, get } = await serve();
    try {
      expect(await (await get('/health/live')).json()).toEqual({ status: 'ok' });
      await log.append([{ topic: TOPIC.problems, key: 'a', value: Buffer.from('garbage') }]);
      await until(async () => (await log.committedOffsets('seam.quiet')).length === 1);
      const ready = await get('/health/ready');
      expect(ready.status).toBe(200);
      expect(await ready.json()).toMatchObject({
        status: 'ok',
        checks: {
          eventLog: { status: 'up', topics: TOPICS.length },
          subscriptions: { status: 'up', 'seam.quiet': { lag: 0, topic: TOPIC.problems } },
        },
      });
      const metrics = await (await get('/metrics')).text();
      expect(metrics).toContain('seam_dead_letters_total{group="seam.quiet",code="MALFORMED_RECORD"} 1');
      expect(metrics).toMatch(/seam_consumer_lag\{group="seam.quiet",topic="seam.problems",partition="0"\} 0/);
    } finally {
      await service.close();
    }
    await expect(service.ended).resolves.toBeUndefined();
    await expect(get('/health/live')).rejects.toThrow();
  });

  it('shows readiness and metrics only to callers with its token, and liveness to all', async () => {
    const token = 'f'.repeat(32);
    const { service } = await serve({ token });
    const statusOf = async (path: string, authorization?: string): Promise<number> =>
      (await fetch(`${service.url}${path}`, authorization === undefined ? {} : { headers: { authorization } })).status;
    try {
      expect(await statusOf('/health/live')).toBe(200);
      for (const path of ['/health/ready', '/metrics']) {
        for (const wrong of [undefined, '', token, `Bearer ${token}x`, `Bearer ${'e'.repeat(32)}`, `Basic ${token}`])
          expect([path, wrong, await statusOf(path, wrong)]).toEqual([path, wrong, 401]);
        expect(await statusOf(path, `Bearer ${token}`)).toBe(200);
      }
    } finally {
      await service.close();
    }
  });

  it('answers by https alone where it has a certificate, and does not start with half of one or another’s key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'https-'));
    try {
      const file = (name: string): string => join(folder, name);
      for (const name of ['own', 'other']) {
        const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`), '-subj', '/CN=localhost'];
        const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
        const made = spawnSync('openssl', ['req', '-x509', ...curve, ...out, '-addext', 'subjectAltName=IP:127.0.0.1']);
        expect([made.error, made.status]).toEqual([undefined, 0]);
      }
      const certificateFile = file('own.crt');
      const { service, get } = await serve({ tls: { certificateFile, keyFile: file('own.key') } });
      try {
        const url = new URL(`${service.url}/health/live`);
        expect(url.protocol).toBe('https:');
        await expect(get('/health/live')).rejects.toThrow(); // its certificate is not trusted
        const status = await new Promise((resolve, reject) => {
          const ca = readFileSync(certificateFile);
          httpsGet(url, { ca }, (response) => resolve(response.resume().statusCode)).on('error', reject);
        });
        expect(status).toBe(200);
        await expect(fetch(`http://127.0.0.1:${url.port}/health/live`)).rejects.toThrow();
      } finally {
        await service.close();
      }
      await expect(serve({ tls: { certificateFile, keyFile: file('other.key') } })).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining('SEAM_HTTP_TLS_KEY_FILE'),
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is no longer ready once its subscription has ended, and says why', async () => {
    answer = halt('CONFLICT', 'wrong executor');
    const { log, service, get } = await serve();
    try {
      await log.append([
        encodeEvent({
          type: 'ProblemPublished',
          feedbackWithinMs: null,
          task: null,
          meta: originMeta({
            messageId: 'm',
            correlationId: 'p',
            source: 'seam/test',
            occurredAt: 1,
            sourceClass: 'trusted',
          }),
          problem: {
            problemId: 'p',
            domain: 'd',
            prompt: 'q',
            reference: 'r',
            verifier: { kind: 'exact', version: '1', options: {} },
            metadata: {},
          },
          mode: 'deploy',
          expiresAt: null,
        }),
      ]);
      await expect(service.ended).rejects.toMatchObject({ code: 'CONFLICT' });
      const ready = await get('/health/ready');
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({
        status: 'error',
        checks: {
          subscriptions: { status: 'down', reason: 'the subscription of group seam.quiet to seam.problems has ended' },
        },
      });
    } finally {
      await service.close();
    }
  });
});

const IN_MEMORY: Environment = { SEAM_EVENT_LOG_DRIVER: 'memory', SEAM_OBJECT_STORE_DRIVER: 'memory' };
const NEVER = new Promise<never>(() => undefined);

/** A process's life: what it was given, and all that it said. */
async function live({
  module = () => ({ module: QuietModule }),
  env = IN_MEMORY,
  argv = [],
  stopAsked = NEVER,
}: {
  readonly module?: ServiceDefinition<typeof config>['module'];
  readonly env?: Environment;
  readonly argv?: readonly string[];
  readonly stopAsked?: Promise<string>;
}): Promise<{ status: number; printed: string; said: string }> {
  let printed = '';
  let said = '';
  const status = await serviceLife({ name: 'quiet', module }, commonConfigSchema, 'It is quiet.', {
    env,
    argv,
    stopAsked,
    print: async (text) => {
      printed += text;
    },
    stderr: {
      write: (text) => {
        said += text;
      },
    },
  });
  return { status, printed, said };
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

async function isClosed({ log }: Drivers): Promise<boolean> {
  return log.topics().then(
    () => false,
    () => true,
  );
}

describe('the life of a service process', () => {
  it('ends with 0 when it is asked to stop, its drivers closed', async () => {
    let drivers: Drivers | undefined;
    const { status, said } = await live({
      module: (context): DynamicModule => {
        drivers = context.drivers;
        return { module: QuietModule };
      },
      stopAsked: sleep(500, 'SIGTERM'),
    });
    expect(status).toBe(0);
    expect(said).toContain('"msg":"service stops"');
    expect(await isClosed(drivers!)).toBe(true);
  });

  it('ends with 0 and closes its drivers when it is asked to stop while the service loads', async () => {
    let ask: (signal: string) => void = () => undefined;
    let drivers: Drivers | undefined;
    const { status } = await live({
      module: (context) => {
        drivers = context.drivers;
        ask('SIGTERM');
        return NEVER;
      },
      stopAsked: new Promise((resolve) => {
        ask = resolve;
      }),
    });
    expect(status).toBe(0);
    expect(await isClosed(drivers!)).toBe(true);
  });

  it('ends with 0 and does not wait for a log that does not open', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    const { port } = silent.address() as { port: number };
    try {
      const begun = performance.now();
      const { status } = await live({
        env: {
          ...IN_MEMORY,
          SEAM_EVENT_LOG_DRIVER: 'kafka',
          SEAM_EVENT_LOG_KAFKA_BROKERS: `127.0.0.1:${port}`,
          SEAM_SIGNATURES_UNSIGNED: 'allowed',
          SEAM_EVENT_LOG_KAFKA_OPERATION_TIMEOUT_MS: '20000',
          SEAM_EVENT_LOG_KAFKA_REQUEST_TIMEOUT_MS: '20000',
        },
        stopAsked: sleep(100, 'SIGTERM'),
      });
      expect(status).toBe(0);
      expect(performance.now() - begun).toBeLessThan(15_000);
    } finally {
      silent.close();
      for (const socket of sockets) socket.destroy();
      await sleep(1_700); // until the client has given up by itself
    }
  });

  it('ends with 78 on a fault of the configuration that only opening shows, reported once and without a stack', async () => {
    const { status, said } = await live({ env: { ...IN_MEMORY, SEAM_OBJECT_STORE_DRIVER: 's3' } });
    expect(status).toBe(78);
    expect(countOf(said, 'SEAM_OBJECT_STORE_S3_BUCKET')).toBe(1);
    expect(JSON.parse(said)).toMatchObject({ level: 60, code: 'INVALID_CONFIGURATION' });
    expect(said).not.toContain('run-service');
  });

  it('ends with 78 where its data folder is a file', async () => {
    const { status, said } = await live({ env: { SEAM_DATA_FOLDER: fileURLToPath(import.meta.url) } });
    expect(status).toBe(78);
    expect(JSON.parse(said)).toMatchObject({ level: 60, code: 'INVALID_CONFIGURATION' });
    expect(said).toContain('got the file');
  });

  it('ends with 78 where its port is taken, reported once', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const { port } = other.address() as { port: number };
    try {
      const { status, said } = await live({ env: { ...IN_MEMORY, SEAM_HTTP_PORT: String(port) } });
      expect(status).toBe(78);
      expect(countOf(said, 'EADDRINUSE')).toBe(1);
      expect(said).toContain('Choose another SEAM_HTTP_PORT');
    } finally {
      other.close();
    }
  });

  it('ends with 1 on other faults: a foreseen one by message and code, another one with its stack', async () => {
    const foreseen = await live({
      module: () => {
        throw new SeamError('LOG_UNAVAILABLE', 'no broker answers');
      },
    });
    expect(foreseen.status).toBe(1);
    expect(JSON.parse(foreseen.said)).toMatchObject({ code: 'LOG_UNAVAILABLE', msg: 'no broker answers' });
    expect(countOf(foreseen.said, 'no broker answers')).toBe(1);
    const unforeseen = await live({
      module: () => {
        throw new TypeError('x is not a function');
      },
    });
    expect(unforeseen.status).toBe(1);
    expect((JSON.parse(unforeseen.said) as { stack: string }).stack).toContain('run-service.spec');
  });

  it('lists the faults of its configuration for a person, and ends with 78', async () => {
    const { status, said } = await live({ env: { SEAM_HTTP_PORT: 'eighty', SEAM_HTTP_PROT: '1' } });
    expect(status).toBe(78);
    expect(said).toMatch(/^Cannot read the configuration: expected valid settings, got 2 faults\./);
  });

  it('shows how it is used instead of starting, also where the environment is at fault', async () => {
    for (const option of ['--help', '-h']) {
      const { status, printed } = await live({ argv: [option], env: { SEAM_HTTP_PORT: 'eighty' } });
      expect(status).toBe(0);
      expect(printed).toContain('It is quiet.');
      expect(printed).toContain('--print-config');
      expect(printed).toContain('SEAM_EVENT_LOG_DRIVER');
    }
  });

  it('refuses arguments that it does not know, and names them', async () => {
    for (const argument of ['--print-confg', 'start']) {
      const { status, said } = await live({ argv: [argument] });
      expect(status).toBe(64);
      expect(said).toContain(`'${argument}'`);
      expect(said).toContain('--help');
    }
  });

  it('prints the resolved configuration and ends', async () => {
    const { status, printed } = await live({ argv: ['--print-config'], env: { SEAM_HTTP_PORT: '8080' } });
    expect(status).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({ http: { port: 8080 }, eventLog: { driver: 'lmdb' } });
  });
});
