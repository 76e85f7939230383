/** How a client proves who it is and whom it trusts. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { messageOf, SeamError } from '@seamstream/kernel';

export interface KafkaSecurity {
  /** Present: connections are encrypted and the broker's certificate is checked. Files are PEM. */
  readonly tls?: {
    /** Authorities to trust; the system's when absent. */
    readonly authorityFile?: string | undefined;
    /** The client's own certificate chain and key, for mutual TLS: both or neither. */
    readonly certificateFile?: string | undefined;
    readonly keyFile?: string | undefined;
    readonly keyPassphrase?: string | undefined;
  };
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
    /** Of SCRAM, default 8192: a broker that asks for fewer rounds is refused. */
    readonly minIterations?: number;
  };
}

/** Rounds of SCRAM. Kafka's own default is 4096, the least of RFC 7677 of 2015. */
export const MIN_ITERATIONS = 8192;
/** A broker that asks for more keeps this process busy for seconds. */
export const MAX_ITERATIONS = 1_000_000;

export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  readonly rejectUnauthorized: true;
}

/**
 * Options of node:tls; undefined without TLS. INVALID_CONFIGURATION for a file that cannot be read or is not what it should
 * be, for half a pair, and for a key that is another certificate's.
 */
export function tlsOptions({ tls }: KafkaSecurity): TlsOptions | undefined {
  if (tls === undefined) return undefined;
  const { authorityFile, certificateFile, keyFile, keyPassphrase } = tls;
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot connect to Kafka with mutual TLS: expected both a certificate and its key, got only ${certificateFile === undefined ? 'the key' : 'the certificate'}.`,
    );
  }
  const options: TlsOptions = {
    rejectUnauthorized: true,
    ...(authorityFile === undefined ? {} : { ca: readPem('authorities', authorityFile) }),
    ...(certificateFile === undefined ? {} : { cert: readPem("the client's certificate", certificateFile) }),
    ...(keyFile === undefined ? {} : { key: readPem("the client's key", keyFile) }),
    ...(keyPassphrase === undefined ? {} : { passphrase: keyPassphrase }),
  };
  try {
    createSecureContext(options); // later it would be an error of a connection, without a code
  } catch (error) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot connect to Kafka with TLS: ${messageOf(error)}. Check that the files of authorities, certificate and key are PEM and that the key, with its passphrase, is the certificate's.`,
      { cause: error },
    );
  }
  return options;
}

function readPem(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot connect to Kafka: expected ${what} in ${file}, got: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
