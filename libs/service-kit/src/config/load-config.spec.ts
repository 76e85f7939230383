import { isSeamError, type SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { commonConfigSchema } from './common-config.js';
import { loadConfig, printableConfig, secret, variableNames } from './load-config.js';

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
    expect(config.http).toEqual({ port: 8080, host: '127.0.0.1' });
    expect(config.eventLog).toMatchObject({ driver: 'lmdb', folder: '/srv/log' });
  });

  it('lists all faults at once, each with its variable, what was expected and what came', () => {
    const error = faultOf({
      SEAM_GENERATOR_CONTROL_SHARE: '1.5',
      SEAM_HTTP_PORT: 'eighty',
      SEAM_EVENT_LOG_DRIVER: 'sqlite',
      SEAM_HTTP_PROT: '1',
    });
    expect(error.code).toBe('INVALID_CONFIGURATION');
    expect(error.details.faults).toEqual([
      expect.stringMatching(/^SEAM_EVENT_LOG_DRIVER: .*"lmdb".*, came "sqlite"$/),
      expect.stringMatching(/^SEAM_GENERATOR_CONTROL_SHARE: .*1.*, came "1.5"$/),
      expect.stringMatching(/^SEAM_HTTP_PORT: .*number.*, came "eighty"$/),
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
