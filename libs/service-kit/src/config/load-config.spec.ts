import { isSeamError, type SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { commonConfigSchema } from './common-config.js';
import { explainConfig, loadConfig, printableConfig, secret, variableNames } from './load-config.js';

const schema = commonConfigSchema.extend({
  generator: z
    .object({
      controlShare: z.number().min(0).max(1).default(0.1),
      isVerbose: z.boolean().default(false),
      apiKey: secret(z.string()).default('none'),
      algorithm: z
        .object({ type: z.literal('grpo'), epochs: z.int() })
        .array()
        .optional(),
    })
    .prefault({}),
});

function faultOf(env: Record<string, string>): SeamError {
  try {
    loadConfig(schema, env);
  } catch (error) {
    if (isSeamError(error)) return error;
    throw error;
  }
  throw new Error('expected a fault');
}

describe('loadConfig', () => {
  it('has a default for everything and takes text for numbers, booleans, lists', () => {
    expect(loadConfig(schema, {}).generator).toEqual({ controlShare: 0.1, isVerbose: false, apiKey: 'none' });
    const config = loadConfig(schema, {
      SEAM_GENERATOR_CONTROL_SHARE: '0.25',
      SEAM_GENERATOR_IS_VERBOSE: 'true',
      SEAM_GENERATOR_ALGORITHM: '[{"type":"grpo","epochs":2}]',
      SEAM_HTTP_PORT: '8080',
      SEAM_EVENT_LOG_FOLDER: '/srv/log',
      HOME: '/root',
    });
    expect(config.generator).toEqual({
      controlShare: 0.25,
      isVerbose: true,
      apiKey: 'none',
      algorithm: [{ type: 'grpo', epochs: 2 }],
    });
    expect(config.http).toMatchObject({ port: 8080, host: '127.0.0.1' });
    expect(config.eventLog).toMatchObject({ driver: 'lmdb', folder: '/srv/log' });
  });

  it('lists all faults at once, each with its variable, what was expected and what it held', () => {
    const error = faultOf({
      SEAM_GENERATOR_CONTROL_SHARE: '1.5',
      SEAM_HTTP_PORT: 'eighty',
      SEAM_EVENT_LOG_DRIVER: 'sqlite',
      SEAM_HTTP_PROT: '1',
    });
    expect(error.code).toBe('INVALID_CONFIGURATION');
    expect(error.details.faults).toEqual([
      expect.stringMatching(/^SEAM_EVENT_LOG_DRIVER: .*"lmdb".*, got "sqlite"$/),
      expect.stringMatching(/^SEAM_GENERATOR_CONTROL_SHARE: .*1.*, got "1.5"$/),
      expect.stringMatching(/^SEAM_HTTP_PORT: .*number.*, got "eighty"$/),
      'SEAM_HTTP_PROT: no such setting (did you mean SEAM_HTTP_PORT?)',
    ]);
  });

  it('refuses its own misspelt settings and leaves those of other services alone', () => {
    expect(loadConfig(schema, { SEAM_TRAINER_ANYTHING: '1' }).dataFolder).toBe('data');
    expect(faultOf({ SEAM_GENERATOR_SHARE: '1' }).message).toContain('SEAM_GENERATOR_SHARE: no such setting');
  });

  it('does not let anyone change it afterwards', () => {
    const config = loadConfig(schema, {});
    expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError);
  });

  it('never shows a secret, neither printed nor in a fault', () => {
    const config = loadConfig(schema, { SEAM_GENERATOR_API_KEY: 'hunter2' });
    expect(config.generator.apiKey).toBe('hunter2');
    const printed = printableConfig(schema, config);
    expect(printed).not.toContain('hunter2');
    expect(JSON.parse(printed)).toMatchObject({ generator: { apiKey: '***', controlShare: 0.1 } });
  });

  it('shows the value and the source of every setting, but no secrets', () => {
    const layers = [
      { source: '--port', environment: { SEAM_HTTP_PORT: '9000' } },
      {
        source: 'environment',
        environment: { SEAM_HTTP_PORT: '8080', SEAM_GENERATOR_API_KEY: 'hunter2', SEAM_DATA_FOLDER: undefined },
      },
      { source: 'folder', environment: { SEAM_DATA_FOLDER: 'mine', SEAM_GENERATOR_API_KEY: 'other' } },
    ];
    const settings = explainConfig(schema, layers);
    const shown = Object.fromEntries(settings.map(({ name, value, source }) => [name, [value, source]]));
    expect(shown).toMatchObject({
      SEAM_PRESET: [null, 'default'],
      SEAM_HTTP_PORT: [9000, '--port'],
      SEAM_GENERATOR_API_KEY: ['***', 'environment'],
      SEAM_DATA_FOLDER: ['mine', 'folder'],
      SEAM_GENERATOR_CONTROL_SHARE: [0.1, 'default'],
    });
    expect(settings.map(({ name }) => name)).toEqual(['SEAM_PRESET', ...variableNames(schema)]);
    expect(JSON.stringify(settings)).not.toContain('hunter2');
    expect(() => explainConfig(schema, [{ source: 'x', environment: { SEAM_HTTP_PROT: '1' } }])).toThrow(
      'SEAM_HTTP_PROT: no such setting (did you mean SEAM_HTTP_PORT?)',
    );
  });

  it('takes the credentials of a schema registry apart from its address, both or neither, and shows the address alone', () => {
    const given = { SEAM_SCHEMA_REGISTRY_URL: 'https://registry:8081/path', SEAM_SCHEMA_REGISTRY_USERNAME: 'reader' };
    const { schemaRegistry } = loadConfig(schema, { ...given, SEAM_SCHEMA_REGISTRY_PASSWORD: '1234' });
    expect(schemaRegistry).toMatchObject({ username: 'reader', password: '1234' });
    const printed = printableConfig(schema, { schemaRegistry });
    expect(printed).not.toContain('1234');
    expect(printed).toContain('"https://registry:8081/path"');
    expect(faultOf(given).message).toContain('SEAM_SCHEMA_REGISTRY_PASSWORD: expected username and password');
    const within = faultOf({ SEAM_SCHEMA_REGISTRY_URL: 'https://reader:hunter2@registry' });
    expect(within.message).toContain('SEAM_SCHEMA_REGISTRY_URL: expected no user and password');
    expect(within.message).not.toContain('hunter2');
    expect(faultOf({ SEAM_SCHEMA_REGISTRY_URL: 'registry' }).message).toContain('SEAM_SCHEMA_REGISTRY_URL');
  });

  it('takes brokers with commas between them or as JSON, and a user of Kafka only with a password, unseen', () => {
    const brokers = ['a.example:9092', 'b.example:9093'];
    for (const text of ['a.example:9092, b.example:9093', JSON.stringify(brokers)])
      expect(loadConfig(schema, { SEAM_EVENT_LOG_KAFKA_BROKERS: text }).eventLog.kafka.brokers).toEqual(brokers);
    expect(faultOf({ SEAM_EVENT_LOG_KAFKA_BROKERS: 'kafka://a' }).message).toContain('expected host:port');
    expect(faultOf({ SEAM_EVENT_LOG_KAFKA_SASL_USERNAME: 'ann' }).message).toContain(
      'SEAM_EVENT_LOG_KAFKA_SASL_PASSWORD: expected username and password, or neither',
    );
    const config = loadConfig(schema, {
      SEAM_EVENT_LOG_KAFKA_SASL_USERNAME: 'ann',
      SEAM_EVENT_LOG_KAFKA_SASL_PASSWORD: 'hunter2',
      SEAM_EVENT_LOG_KAFKA_TLS_KEY_PASSPHRASE: 'hunter3',
    });
    expect(config.eventLog.kafka.sasl.password).toBe('hunter2');
    expect(printableConfig(schema, config)).not.toContain('hunter');
  });

  it('names a variable after its path', () => {
    expect(variableNames(schema)).toEqual(
      expect.arrayContaining([
        'SEAM_DATA_FOLDER',
        'SEAM_EVENT_LOG_DRIVER',
        'SEAM_CONSUMING_MAX_ATTEMPTS',
        'SEAM_GENERATOR_API_KEY',
      ]),
    );
  });
});

describe('what would leave this machine readable for others is refused unless it is asked for', () => {
  const kafka = (brokers: string): Record<string, string> => ({
    SEAM_EVENT_LOG_KAFKA_BROKERS: brokers,
    SEAM_EVENT_LOG_KAFKA_SASL_MECHANISM: 'plain',
    SEAM_EVENT_LOG_KAFKA_SASL_USERNAME: 'u',
    SEAM_EVENT_LOG_KAFKA_SASL_PASSWORD: 'hunter2',
  });
  const registry = { SEAM_SCHEMA_REGISTRY_USERNAME: 'u', SEAM_SCHEMA_REGISTRY_PASSWORD: 'hunter2' };

  it.each([
    ["a password by Kafka's plain", 'SEAM_EVENT_LOG_KAFKA_SASL_MECHANISM', kafka('127.0.0.1:9092,kafka:9092')],
    ['objects on S3', 'SEAM_OBJECT_STORE_S3_ENDPOINT', { SEAM_OBJECT_STORE_S3_ENDPOINT: 'http://s3.local:9000' }],
    [
      "a registry's password",
      'SEAM_SCHEMA_REGISTRY_URL',
      { ...registry, SEAM_SCHEMA_REGISTRY_URL: 'http://registry:8081' },
    ],
    ['health and metrics', 'SEAM_HTTP_HOST', { SEAM_HTTP_HOST: '0.0.0.0', SEAM_HTTP_TOKEN: 'f'.repeat(32) }],
  ])('%s', (_, variable, env) => {
    const { code, message, details } = faultOf(env);
    expect([code, details.faults]).toEqual([
      'INVALID_CONFIGURATION',
      [expect.stringMatching(new RegExp(`^${variable}: expected .*ALLOW_PLAINTEXT=true`))],
    ]);
    expect(message).not.toContain('hunter2');
    const asked = /SEAM_[A-Z0-9_]+_ALLOW_PLAINTEXT/.exec(message)![0];
    expect(() => loadConfig(schema, { ...env, [asked]: 'true' })).not.toThrow();
  });

  it('but not what stays on this machine, and what is encrypted', () => {
    const certificate = { SEAM_HTTP_TLS_CERTIFICATE_FILE: 'c.pem', SEAM_HTTP_TLS_KEY_FILE: 'k.pem' };
    for (const env of [
      kafka('localhost:9092,127.0.0.1:9093'),
      { ...kafka('kafka:9093'), SEAM_EVENT_LOG_KAFKA_TLS_ENABLED: 'true' },
      { ...kafka('kafka:9093'), SEAM_EVENT_LOG_KAFKA_SASL_MECHANISM: 'scram-sha-512' },
      { SEAM_OBJECT_STORE_S3_ENDPOINT: 'https://s3.local:9000' },
      { SEAM_OBJECT_STORE_S3_ENDPOINT: 'http://[::1]:9000' },
      { ...registry, SEAM_SCHEMA_REGISTRY_URL: 'http://127.0.0.1:8081' },
      { SEAM_SCHEMA_REGISTRY_URL: 'http://registry:8081' },
      { SEAM_HTTP_HOST: '0.0.0.0', SEAM_HTTP_TOKEN: 'f'.repeat(32), ...certificate },
      { SEAM_HTTP_HOST: '0.0.0.0', SEAM_HTTP_ALLOW_UNAUTHENTICATED: 'true', ...certificate },
      { SEAM_HTTP_HOST: '::1' },
    ])
      expect(() => loadConfig(schema, env)).not.toThrow();
  });

  it('other machines do not read readiness and metrics without a token, nor with one that can be guessed', () => {
    const env = { SEAM_HTTP_HOST: '0.0.0.0', SEAM_HTTP_ALLOW_PLAINTEXT: 'true' };
    expect(faultOf(env).details.faults).toEqual([
      expect.stringMatching(/^SEAM_HTTP_TOKEN: expected a token where other machines may ask/),
    ]);
    const { message } = faultOf({ ...env, SEAM_HTTP_TOKEN: 'hunter2' });
    expect(message).toContain('at least 24 characters');
    expect(message).not.toContain('hunter2');
  });

  it('certificates are verified: a process does not start where its environment switches verification off', () => {
    expect(() => loadConfig(schema, { NODE_TLS_REJECT_UNAUTHORIZED: '1' })).not.toThrow();
    expect(faultOf({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }).details.faults).toEqual([
      expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED: .* NODE_EXTRA_CA_CERTS/),
    ]);
  });

  it('names of hosts that only look like this machine are others', () => {
    for (const host of ['127.0.0.1.example.com', 'localhost.example.com', '128.0.0.1', '1127.0.0.1'])
      expect(faultOf({ SEAM_OBJECT_STORE_S3_ENDPOINT: `http://${host}:9000` }).details.faults).toHaveLength(1);
  });

  it('an address of S3 with a password in it is refused and not shown', () => {
    const { message } = faultOf({ SEAM_OBJECT_STORE_S3_ENDPOINT: 'https://u:hunter2@s3.local' });
    expect(message).toContain('SEAM_OBJECT_STORE_S3_ENDPOINT: expected no user and password');
    expect(message).not.toContain('hunter2');
  });
});
