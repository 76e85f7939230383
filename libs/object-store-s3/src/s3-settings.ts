/** What a bucket is opened with, and the defaults. */
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { RetrySettings } from './retry.js';

export interface S3ObjectStoreOptions extends Partial<RetrySettings> {
  readonly bucket: string;
  /** Every key lies below it, after a slash; default: the bucket's root. */
  readonly prefix?: string | undefined;
  /** Default: AWS's own for the region. */
  readonly endpoint?: string | undefined;
  /** Default: the SDK's (AWS_REGION, the profile). */
  readonly region?: string | undefined;
  /** The bucket in the path instead of the host's name, as most servers other than AWS want it; default false. */
  readonly pathStyle?: boolean | undefined;
  /** Default: as the bucket is configured. */
  readonly serverSideEncryption?: 'AES256' | 'aws:kms' | undefined;
  readonly kmsKeyId?: string | undefined;
  /** Larger objects are uploaded in parts; default 16 MiB. */
  readonly multipartThresholdBytes?: number | undefined;
  /** At least 5 MiB, which is S3's minimum; default 8 MiB. */
  readonly partBytes?: number | undefined;
  /** Default 3 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** For the answer's beginning, and for every silence within it; default 30 s. */
  readonly requestTimeoutMs?: number | undefined;
  /** Age at which an unfinished upload below the prefix counts as left behind; default a day, since clocks and slow uploads differ. */
  readonly sweepAfterMs?: number | undefined;
}

const DEFAULTS = {
  prefix: '',
  multipartThresholdBytes: 16 * 1024 ** 2,
  partBytes: 8 * 1024 ** 2,
  maxAttempts: 6,
  firstRetryMs: 100,
  maxRetryMs: 5_000,
  connectTimeoutMs: 3_000,
  requestTimeoutMs: 30_000,
  sweepAfterMs: 24 * 3_600_000,
};
/** Operations under way at once. More would only wait for a connection, against their time-outs. */
export const MAX_OPERATIONS = 32;
/** Parts of one upload under way at once. */
export const MAX_PARTS = 4;

export type Settings = Omit<S3ObjectStoreOptions, keyof typeof DEFAULTS> & typeof DEFAULTS;

export function clientConfig({
  endpoint,
  region,
  pathStyle,
  connectTimeoutMs,
  requestTimeoutMs,
}: Settings): S3ClientConfig {
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(pathStyle === undefined ? {} : { forcePathStyle: pathStyle }),
    requestChecksumCalculation: 'WHEN_SUPPORTED',
    responseChecksumValidation: 'WHEN_SUPPORTED',
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: requestTimeoutMs,
      httpAgent: { keepAlive: true, maxSockets: MAX_OPERATIONS * MAX_PARTS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_OPERATIONS * MAX_PARTS },
    },
  };
}

export function withDefaults(options: S3ObjectStoreOptions): Settings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, bucket: options.bucket, ...(Object.fromEntries(given) as Partial<Settings>) };
}
