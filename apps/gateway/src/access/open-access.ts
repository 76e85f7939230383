/** The door as the settings want it: what must hold before a gateway listens, and what it then follows. */
import { SeamError } from '@seamstream/kernel';
import type { HealthCheck } from '@seamstream/service-kit';
import type { GatewayConfig } from '../config.js';
import type { GatewayWorld } from '../gateway-world.js';
import { Access, isLoopback, type OtherDoors } from './access.js';
import type { Refusals } from './refusals.js';
import { Sessions } from './sessions.js';
import { Tokens } from './tokens.js';

/**
 * @param login the origin of the page where people sign in; undefined: no one does
 * @returns the door, and all that it follows until the gateway ends
 * @throws INVALID_CONFIGURATION where other machines could ask without a key, or in clear; as Tokens.open where no token can ever be taken
 */
export async function openAccess(
  world: GatewayWorld,
  refusals: Refusals,
  login: { readonly origin: string } | undefined,
): Promise<[Access, Promise<void>]> {
  const { config, drivers, clock, ending } = world;
  assertGuarded(config.gateway);
  const [tokens, ofTokens] = await openTokens(world);
  const ofSession = { log: drivers.log, clock, issuer: config.gateway.issuer };
  const [sessions, ofSessions] =
    login === undefined ? [] : await Sessions.open({ ...ofSession, origin: login.origin }, ending);
  const doors = { tokens, sessions };
  const [access, ofKeys] = await Access.open(config.gateway, doors, refusals, drivers.log, clock, ending);
  return [access, Promise.all([ofTokens, ofSessions, ofKeys]).then(() => undefined)];
}

function assertGuarded({ host, access, allowPlaintext }: GatewayConfig['gateway']): void {
  if (isLoopback(host)) return;
  if (access !== 'keys')
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot listen at ${host}: expected keys where other machines may ask, got SEAM_GATEWAY_ACCESS=${access}. Set it to keys, and issue one (seam gateway keys issue).`,
    );
  if (!allowPlaintext)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot listen at ${host}: expected that a proxy before it speaks TLS, got no such word. SEAM_GATEWAY_ALLOW_PLAINTEXT=true says so.`,
    );
}

async function openTokens({
  config,
  logger,
  metrics,
  clock,
  ending,
}: GatewayWorld): Promise<[Tokens?, Promise<void>?]> {
  const { url, audience, ...rest } = config.gateway.issuer;
  if (url === undefined || audience === undefined) return [];
  const reads = metrics.counter('seam_issuer_reads_total', "Readings of the token issuer's keys.", ['result']);
  const onRead = (error: SeamError | undefined): void => {
    reads.inc({ result: error === undefined ? 'ok' : 'failed' });
    if (error !== undefined) logger.warn({ err: error }, 'the keys of the issuer of tokens could not be read');
  };
  const [tokens, reading] = await Tokens.open({ url, audience, ...rest }, { clock, onRead }, ending);
  metrics.gauge(
    'seam_issuer_silence_seconds',
    'Time since the issuer of tokens last said which keys it has, since the start where it never did.',
    async () => tokens.keys.silenceMs / 1000,
  );
  return [tokens, reading];
}

/** An issuer that is away makes no gateway unready, since keys open it all the same: readiness says it. */
export function issuerChecks({ tokens }: OtherDoors): readonly HealthCheck[] {
  if (tokens === undefined) return [];
  const check = async () => {
    const { fault, silenceMs } = tokens.keys;
    const silent = { silentSeconds: Math.round(silenceMs / 1000) };
    return fault === undefined
      ? { takesTokens: true, ...silent }
      : { takesTokens: false, reason: fault.message, ...silent };
  };
  return [{ name: 'issuer', check }];
}
