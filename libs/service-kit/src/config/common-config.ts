import { z } from 'zod';
import { tracingConfigSchema } from '../tracing/tracing.config.js';
import { httpAddress, isLoopback, isPlaintextElsewhere } from './addresses.js';
import { secret, secretWhenRefused } from './load-config.js';

/** The settings that every service reads. A service adds its own section: `commonConfigSchema.extend({ generator: … })`. */
export const commonConfigSchema = z.object({
  /** Folder of the embedded drivers. The log and the objects are in its subfolders, unless they have a folder setting. */
  dataFolder: z.string().min(1).default('data'),
  /** Who acts by commands that record an act, where --by does not say. Default: the user of this machine. */
  person: z.string().min(1).max(128).optional(),
  /**
   * `required`: a result counts only if the log holds its experience and its problem, and both agree with it (docs/adr/0030). `none`:
   * results are believed without this evidence, for logs whose experiences or problems have been deleted.
   */
  evidence: z.enum(['required', 'none']).default('required'),
  eventLog: z
    .object({
      /** `memory` lives and dies with the process: for tests and trials. */
      driver: z.enum(['lmdb', 'kafka', 'memory']).default('lmdb'),
      /** Of the driver lmdb; default: dataFolder/log. */
      folder: z.string().min(1).optional(),
      /** Of the driver kafka. */
      kafka: z
        .object({
          /** Required by the driver: some of the cluster's brokers, `host:port,host:port` or a JSON list. */
          brokers: z.preprocess(listOf, z.array(z.string().regex(/^[^\s:/]+:\d+$/, 'expected host:port'))).optional(),
          /** Name of this process in the brokers' logs and quotas. */
          clientId: z.string().min(1).default('seamstream'),
          /** Prefix of the names of topics, groups and transactional ids in the cluster. */
          prefix: z
            .string()
            .regex(/^[a-zA-Z0-9._-]*$/, 'expected characters of a-z A-Z 0-9 . _ -')
            .default(''),
          /** Copies of each partition of topics that are created; the cluster's default when absent. */
          replicationFactor: z.int().positive().optional(),
          /** Codec of the record batches that this process writes. */
          compression: z.enum(['none', 'gzip', 'snappy', 'lz4', 'zstd']).default('zstd'),
          /** Most bytes of a record batch once decompressed; one with more is a dead letter. */
          maxBatchBytes: z
            .int()
            .positive()
            .default(16 * 1024 ** 2),
          /** Time without a heartbeat after which an instance is replaced. Brokers accept 6 s to 30 min. */
          sessionTimeoutMs: z.int().positive().default(10_000),
          /** Time after which a broker aborts an unfinished transaction of an instance that is gone. */
          transactionTimeoutMs: z.int().positive().default(10_000),
          /** Longest wait for a connection to one broker. */
          connectTimeoutMs: z.int().positive().default(3_000),
          /** Longest wait for a broker's answer to one request. */
          requestTimeoutMs: z.int().positive().default(30_000),
          /** How long an operation is tried again before it counts as failed. */
          operationTimeoutMs: z.int().positive().default(30_000),
          /** Encryption. Files are PEM. */
          tls: z
            .object({
              /** Connects by TLS, and checks the brokers' certificates. */
              enabled: z.boolean().default(false),
              /** Who signs the brokers' certificates; the system's authorities when absent. */
              authorityFile: z.string().min(1).optional(),
              /** This client's own certificate and key, where brokers ask for one. */
              certificateFile: z.string().min(1).optional(),
              /** Private key of the certificate. */
              keyFile: z.string().min(1).optional(),
              /** Of the key file, where it is encrypted. */
              keyPassphrase: secret(z.string()).optional(),
            })
            .refine(({ certificateFile, keyFile }) => (certificateFile === undefined) === (keyFile === undefined), {
              path: ['keyFile'],
              error: 'expected certificateFile and keyFile, or neither',
            })
            .prefault({}),
          sasl: z
            .object({
              /** How the client proves who it is. */
              mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).default('scram-sha-512'),
              /** User name, together with the password. */
              username: z.string().min(1).optional(),
              /** Of the user. */
              password: secret(z.string()).optional(),
              /** Of SCRAM: fewer are refused, since a stolen verifier is then guessed too soon. Kafka's own default is 4096. */
              minIterations: z.int().min(4096).default(8192),
              /** Lets `plain` send the password over an unencrypted connection. */
              allowPlaintext: z.boolean().default(false),
            })
            .refine(({ username, password }) => (username === undefined) === (password === undefined), {
              path: ['password'],
              error: 'expected username and password, or neither',
            })
            .prefault({}),
        })
        .refine(
          ({ brokers = [], tls, sasl }) =>
            sasl.mechanism !== 'plain' ||
            sasl.username === undefined ||
            sasl.allowPlaintext ||
            tls.enabled ||
            brokers.every(isLoopback),
          {
            path: ['sasl', 'mechanism'],
            error:
              'expected TLS (SEAM_EVENT_LOG_KAFKA_TLS_ENABLED) or SCRAM, since plain sends the password as it is; SEAM_EVENT_LOG_KAFKA_SASL_ALLOW_PLAINTEXT=true takes it nevertheless',
          },
        )
        .prefault({}),
    })
    .prefault({}),
  /** Where records are in Confluent's framing: the registry of their schemas. Without a URL they are single-object encoded. */
  schemaRegistry: z
    .object({
      /** Base address of Confluent's REST API. One with a password in it is refused unseen. */
      url: secretWhenRefused(httpAddress).optional(),
      /** HTTP basic authentication, together with the password. */
      username: z.string().min(1).optional(),
      /** Of the user. */
      password: secret(z.string()).optional(),
      /** Lets the password go over http to another machine. */
      allowPlaintext: z.boolean().default(false),
      /** Longest wait for an answer. */
      timeoutMs: z.int().positive().default(5_000),
    })
    .refine(({ username, password }) => (username === undefined) === (password === undefined), {
      path: ['password'],
      error: 'expected username and password, or neither',
    })
    .refine(
      ({ url, username, allowPlaintext }) => allowPlaintext || username === undefined || !isPlaintextElsewhere(url),
      {
        path: ['url'],
        error:
          'expected https, since the password goes with every request; SEAM_SCHEMA_REGISTRY_ALLOW_PLAINTEXT=true takes it nevertheless',
      },
    )
    .prefault({}),
  /** Who vouches for adapters, promotions and versions of the buffer: docs/how-to/signatures.md. */
  signatures: z
    .object({
      /** Private key (PEM) that this process signs with. */
      keyFile: z.string().min(1).optional(),
      /** JSON file of the public keys that are believed, each with what it may vouch for. */
      trustedKeysFile: z.string().min(1).optional(),
      /** Whether unsigned facts are believed. Default: refused where the log is Kafka, allowed in the embedded drivers. */
      unsigned: z.enum(['allowed', 'refused']).optional(),
    })
    .prefault({}),
  objectStore: z
    .object({
      /** Where objects are stored. `memory` lives and dies with the process: for tests and trials. */
      driver: z.enum(['fs', 's3', 'memory']).default('fs'),
      /** Of the driver fs; default: dataFolder/objects. */
      folder: z.string().min(1).optional(),
      /** Of the driver s3. Credentials come from the AWS SDK's default chain, never from here. */
      s3: z
        .object({
          /** Required by the driver. */
          bucket: z.string().min(3).optional(),
          /** Prefix of every key. */
          prefix: z
            .string()
            .regex(/^[\w!\-.*'()=%]+(\/[\w!\-.*'()=%]+)*$/, 'expected segments between slashes, none at the ends')
            .optional(),
          /** Default: AWS's own for the region. */
          endpoint: secretWhenRefused(httpAddress).optional(),
          /** Lets objects, and requests that are signed but not hidden, go over http to another machine. */
          allowPlaintext: z.boolean().default(false),
          /** Default: the SDK's (AWS_REGION, the profile). */
          region: z.string().min(1).optional(),
          /** The bucket in the path instead of the host's name: most servers other than AWS need that. */
          pathStyle: z.boolean().default(false),
          /** Default: as the bucket is configured. */
          serverSideEncryption: z.enum(['AES256', 'aws:kms']).optional(),
          /** Of aws:kms; the bucket's own when absent. */
          kmsKeyId: z.string().min(1).optional(),
          /** Tries of one request. */
          maxAttempts: z.int().positive().default(6),
          /** Longest wait for a connection. */
          connectTimeoutMs: z.int().positive().default(3_000),
          /** For the beginning of an answer, and for every silence within it. */
          requestTimeoutMs: z.int().positive().default(30_000),
          /** Larger objects are uploaded in parts. */
          multipartThresholdBytes: z
            .int()
            .positive()
            .default(16 * 1024 ** 2),
          /** S3's minimum is 5 MiB. */
          partBytes: z
            .int()
            .min(5 * 1024 ** 2)
            .default(8 * 1024 ** 2),
        })
        .refine(({ endpoint, allowPlaintext }) => allowPlaintext || !isPlaintextElsewhere(endpoint), {
          path: ['endpoint'],
          error:
            'expected https, or an address of this machine; SEAM_OBJECT_STORE_S3_ALLOW_PLAINTEXT=true takes it nevertheless',
        })
        .prefault({}),
    })
    .prefault({}),
  /**
   * JSON file that maps domains to the JSON Schema of their entries; the general schema holds elsewhere. Or memory-item, or self-edit/ with
   * a kind of self-edit.
   */
  entrySchemas: z.string().min(1).optional(),
  http: z
    .object({
      /** 0 takes a free port; it is logged. */
      port: z.int().min(0).max(65535).default(0),
      /** Address that health and metrics are served on. */
      host: z.string().min(1).default('127.0.0.1'),
      /** Health and metrics by https; PEM files, both or neither. Read once. */
      tls: z
        .object({
          /** Certificate (PEM) by which health and metrics are served over TLS. */
          certificateFile: z.string().min(1).optional(),
          /** Private key of the certificate. */
          keyFile: z.string().min(1).optional(),
        })
        .refine(({ certificateFile, keyFile }) => (certificateFile === undefined) === (keyFile === undefined), {
          path: ['keyFile'],
          error: 'expected certificateFile and keyFile, or neither',
        })
        .prefault({}),
      /** Lets them be served to other machines by plain http: where a container's network is its own. */
      allowPlaintext: z.boolean().default(false),
      /** A request for readiness or metrics must send this token as `Authorization: Bearer`. Liveness needs no token. */
      token: secret(z.string().min(24, 'expected at least 24 characters: openssl rand -hex 16')).optional(),
      /** Lets other machines read readiness and metrics without a token. */
      allowUnauthenticated: z.boolean().default(false),
    })
    .refine(
      ({ host, token, allowUnauthenticated }) => allowUnauthenticated || token !== undefined || isLoopback(host),
      {
        path: ['token'],
        error:
          'expected a token where other machines may ask (SEAM_HTTP_HOST); SEAM_HTTP_ALLOW_UNAUTHENTICATED=true serves them nevertheless',
      },
    )
    .refine(({ host, tls, allowPlaintext }) => allowPlaintext || tls.keyFile !== undefined || isLoopback(host), {
      path: ['host'],
      error:
        'expected an address of this machine, or a certificate (SEAM_HTTP_TLS_CERTIFICATE_FILE, …_TLS_KEY_FILE); SEAM_HTTP_ALLOW_PLAINTEXT=true takes it nevertheless',
    })
    .prefault({}),
  /** The service's own log lines, JSON on stderr. */
  logging: z
    .object({
      /** Least severity of the lines that are written. */
      level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    })
    .prefault({}),
  tracing: tracingConfigSchema.prefault({}),
  consuming: z
    .object({
      /** Times that a single record is tried before it goes to the dead letters. */
      maxAttempts: z.int().positive().default(5),
      /** Wait before the second try; doubles with each further one. */
      firstRetryMs: z.int().nonnegative().default(100),
      /** Longest wait between two tries. */
      maxRetryMs: z.int().nonnegative().default(10_000),
      /** Time that work in flight gets at shutdown before it is handed back. */
      shutdownGraceMs: z.int().nonnegative().default(10_000),
      /** Longest time for the answer to one batch; after it its records are taken one at a time, each with as much time. */
      deadlineMs: z.int().positive().default(600_000),
      /**
       * How often the process may die with the same batch in flight before its records are taken one at a time. A single record
       * in flight at as many deaths is given up.
       */
      maxDeaths: z.int().positive().default(3),
    })
    .prefault({}),
});

/** Text between commas as a list; JSON has been read by then. */
function listOf(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value;
}

export type CommonConfig = z.infer<typeof commonConfigSchema>;
