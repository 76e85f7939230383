/** How a client proves who it is and whom it trusts. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { messageOf, SeamError } from '@seamstream/kernel';
import scram from 'kafkajs/src/broker/saslAuthenticator/scram.js';
import errors from 'kafkajs/src/errors.js';

const { DIGESTS, SCRAM } = scram;

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

/** Kafka's own default is 4096, the least of RFC 7677 of 2015. */
const MIN_ITERATIONS = 8192;
/** A broker that asks for more keeps this process busy for seconds. */
const MAX_ITERATIONS = 1_000_000;

interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  readonly rejectUnauthorized: true;
}

/**
 * TLS as kafkajs wants it; undefined without. INVALID_CONFIGURATION for a file that cannot be read or is not what it should
 * be, for half a pair, and for a key that is another certificate's.
 */
export function tlsOptions({ tls }: KafkaSecurity): TlsOptions | undefined {
  if (tls === undefined) return undefined;
  const { authorityFile, certificateFile, keyFile, keyPassphrase } = tls;
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `connecting to Kafka with mutual TLS: expected both a certificate and its key, got only ${certificateFile === undefined ? 'the key' : 'the certificate'}`,
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
    createSecureContext(options); // of what it says at the first connection kafkajs keeps no code
  } catch (error) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `connecting to Kafka with TLS: ${messageOf(error)}. Check that the files of authorities, certificate and key are PEM and that the key, with its passphrase, is the certificate's.`,
      { cause: error },
    );
  }
  return options;
}

/**
 * SASL as kafkajs wants it; undefined without. SCRAM is kafkajs' own, which takes what the broker says for the number of
 * rounds as long as it is 4096 or more: here it is bounded on both sides.
 */
export function saslOptions({ sasl }: KafkaSecurity): Readonly<Record<string, unknown>> | undefined {
  if (sasl === undefined) return undefined;
  const { mechanism, username, password, minIterations = MIN_ITERATIONS } = sasl;
  if (mechanism === 'plain') return { mechanism, username, password };
  const digest = { ...(mechanism === 'scram-sha-256' ? DIGESTS.SHA256 : DIGESTS.SHA512), minIterations };
  return {
    mechanism,
    authenticationProvider: ({ host, port, logger, saslAuthenticate }: AuthenticationRequest) =>
      new BoundedScram({ username, password }, host, port, logger, saslAuthenticate, digest),
  };
}

/** What kafkajs hands to a provider. */
interface AuthenticationRequest {
  readonly host: string;
  readonly port: number;
  readonly logger: unknown;
  readonly saslAuthenticate: unknown;
}

class BoundedScram extends SCRAM {
  override async sendClientFinalMessage(answer: { readonly i: string }): Promise<unknown> {
    const rounds = Number.parseInt(answer.i, 10);
    const { minIterations } = this.digestDefinition;
    if (!(rounds >= minIterations && rounds <= MAX_ITERATIONS)) {
      throw new errors.KafkaJSSASLAuthenticationError(
        `SCRAM: expected ${minIterations} to ${MAX_ITERATIONS} iterations, the broker asks for ${answer.i.slice(0, 20)}. Set the user's password anew with iterations=${minIterations} (kafka-configs --add-config), or lower SEAM_EVENT_LOG_KAFKA_SASL_MIN_ITERATIONS.`,
      );
    }
    return super.sendClientFinalMessage(answer);
  }
}

function readPem(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `connecting to Kafka: reading ${what} from ${file}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
