/** Limits and prices, declared as events: gateways follow the log. */
import type { EventLog } from '@seamstream/event-log';
import {
  clientIn,
  clientNamed,
  DEFAULT_TENANT,
  type EventOf,
  encodeEvent,
  isTenant,
  isUserId,
  originMeta,
  type SeamEvent,
  TOPIC,
} from '@seamstream/events';
import { type Clock, newId, SeamError } from '@seamstream/kernel';
import { collectEvents, storedRanges } from '@seamstream/log-reader';
import { keysAfter } from '../access/index.js';
import { type DeclaredLimits, EACH_CLIENT, limitsAfter, type Price, WHOLE_TENANT } from './declared-limits.js';

const SOURCE = 'seam/cli';

/** Its client is named as clientIn does: without a tenant, or behind it (`acme/aB3dE6gH9jK2`, `acme/*`, `acme/whole`). */
export type QuotaRequest = Omit<EventOf<'QuotaDeclared'>, 'type' | 'meta'>;

/**
 * Declares a limit, or with `limit: null` that there is none any more.
 * @throws NOT_FOUND for a client that is no key and no user, and for a limit that is not there; INVALID_INPUT for money without a price list
 */
export async function declareQuota(log: EventLog, request: QuotaRequest, clock: Clock): Promise<void> {
  const { measure, per, limit } = request;
  const [tenant, keyId] = clientNamed(request.keyId);
  const events = await accessEvents(log);
  const keys = keysAfter(events);
  const isWord = keyId === EACH_CLIENT || keyId === WHOLE_TENANT;
  const isKnown = isTenant(tenant) && (isWord || isUserId(keyId) || keys.issued.get(keyId)?.tenant === tenant);
  if (!isKnown)
    throw new SeamError(
      'NOT_FOUND',
      `Cannot limit ${JSON.stringify(request.keyId)}: expected the public part of a key, the name of a user, ${EACH_CLIENT} or ${WHOLE_TENANT}, each behind its tenant and a slash where that is not ${DEFAULT_TENANT}, got none of those. See "seam gateway keys list" and "seam gateway users name".`,
    );
  const declared = limitsAfter(events);
  const isThere = [...declared.limits.values()].some(
    (each) => each.keyId === clientIn(tenant, keyId) && each.measure === measure && each.per === per,
  );
  if (limit === null && !isThere)
    throw new SeamError(
      'NOT_FOUND',
      `Cannot remove the limit of ${measure} per ${per}: expected one that is declared for ${request.keyId}, got none. See "seam gateway quotas list".`,
    );
  if (limit !== null && measure === 'money' && declared.prices.length === 0)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot limit money: expected prices, got none. Declare them first (seam cost prices set).',
    );
  await log.append([encodeEvent({ type: 'QuotaDeclared', meta: metaOf(keyId, clock, tenant), ...request, keyId })]);
}

/** @throws INVALID_INPUT for another currency than that of the earlier prices */
export async function declarePrice(log: EventLog, price: Price, clock: Clock): Promise<void> {
  const { prices } = await readDeclaredLimits(log);
  const [first] = prices;
  if (first !== undefined && first.currency !== price.currency)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot declare a price in ${price.currency}: expected ${first.currency}, the currency of this log, got another. Convert it.`,
    );
  await log.append([encodeEvent({ type: 'PriceDeclared', meta: metaOf(price.model, clock), ...price })]);
}

/** @param signal ends the reading @throws what the log throws, and the signal's reason */
export async function readDeclaredLimits(log: EventLog, signal?: AbortSignal): Promise<DeclaredLimits> {
  return limitsAfter(await accessEvents(log, signal));
}

async function accessEvents(log: EventLog, signal?: AbortSignal): Promise<readonly SeamEvent[]> {
  const placed = await collectEvents(log, await storedRanges(log, TOPIC.access), { undecodable: 'skip', signal });
  return placed.map(({ event }) => event);
}

function metaOf(correlationId: string, clock: Clock, tenant = DEFAULT_TENANT) {
  return originMeta({
    ...{ messageId: newId(), correlationId, source: SOURCE },
    ...{ occurredAt: clock.now(), sourceClass: 'trusted', tenant },
  });
}
