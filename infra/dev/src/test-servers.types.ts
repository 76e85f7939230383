/** Addresses of the servers that tests run against. */
export interface S3Address {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export type TestServerKind = 'kafka' | 's3' | 'registry';

export interface TestServers {
  /** Present when asked for. */
  kafka: { bootstrap: string };
  s3: S3Address;
  registry: { url: string };
}
