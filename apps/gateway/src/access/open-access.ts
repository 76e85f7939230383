/** The door as the settings want it: what must hold before a gateway listens, and what it then follows. */
import { SeamError } from '@seamstream/kernel';
import type { GatewayConfig } from '../config.js';
import type { GatewayWorld } from '../gateway-world.js';
import { Access, isLoopback } from './access.js';
import type { Refusals } from './refusals.js';
import { Tokens } from './tokens.js';

/**
 * @returns the door, and all that it follows until the gateway ends
 * @throws INVALID_CONFIGURATION where other machines could ask without a key, or in clear; as Tokens.open where no token could be taken
 */
export async function openAccess(world: GatewayWorld, refusals: Refusals): Promise<[Access, Promise<void>]> {
  const { config, drivers, clock, ending } = world;
  assertGuarded(config.gateway);
  const [tokens, ofTokens] = await openTokens(world);
  const [access, ofKeys] = await Access.open(config.gateway, tokens, refusals, drivers.log, clock, ending);
  return [access, Promise.all([ofTokens, ofKeys]).then(() => undefined)];
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
  return Tokens.open(
    { url, audience, ...rest },
    {
      clock,
      onRead: (error) => {
        reads.inc({ result: error === undefined ? 'ok' : 'failed' });
        if (error !== undefined) logger.warn({ err: error }, 'the keys of the issuer of tokens could not be read');
      },
    },
    ending,
  );
}
