/** SASL for kafkajs, with SCRAM's number of rounds bounded on both sides: kafkajs takes any number from 4096 on. */
import { type KafkaSecurity, MAX_ITERATIONS, MIN_ITERATIONS } from '../kafka-security.js';
import { clientErrors, scram } from './kafkajs-internals.js';

const { DIGESTS, SCRAM } = scram;

/** SASL options of a kafkajs cluster; undefined without SASL. */
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
      throw new clientErrors.KafkaJSSASLAuthenticationError(
        `SCRAM: expected ${minIterations} to ${MAX_ITERATIONS} iterations, the broker asks for ${answer.i.slice(0, 20)}. Set the user's password again with iterations=${minIterations} (kafka-configs --add-config), or lower SEAM_EVENT_LOG_KAFKA_SASL_MIN_ITERATIONS.`,
      );
    }
    return super.sendClientFinalMessage(answer);
  }
}
