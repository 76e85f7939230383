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
  TOPIC,
} from '@seamstream/events';
import { type Clock, newId, SeamError } from '@seamstream/kernel';
import { collectEvents, type PlacedEvent, storedRanges } from '@seamstream/log-reader';
import { apiKeysAfter, NO_KEYS } from '../access/index.js';
import {
  type DeclaredLimits,
  declaredLimitsAfter,
  EACH_CLIENT,
  NO_LIMITS,
  type Price,
  WHOLE_TENANT,
} from './declared-limits.js';

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
  const keys = events.reduce((folded, { event }) => apiKeysAfter(folded, event), NO_KEYS);
  const isWord = keyId === EACH_CLIENT || keyId === WHOLE_TENANT;
  const isKnown = isTenant(tenant) && (isWord || isUserId(keyId) || keys.issued.get(keyId)?.tenant === tenant);
  if (!isKnown)
    throw new SeamError(
      'NOT_FOUND',
      `Cannot limit ${JSON.stringify(request.keyId)}: expected the public part of a key, the name of a user, ${EACH_CLIENT} or ${WHOLE_TENANT}, each behind its tenant and a slash where that is not ${DEFAULT_TENANT}, got none of those. See "seam gateway keys list" and "seam gateway users name".`,
    );
  const declared = declaredBy(events);
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

export async function readDeclaredLimits(log: EventLog): Promise<DeclaredLimits> {
  return declaredBy(await accessEvents(log));
}

async function accessEvents(log: EventLog): Promise<readonly PlacedEvent[]> {
  return collectEvents(log, await storedRanges(log, TOPIC.access), { undecodable: 'skip' });
}

function declaredBy(events: readonly PlacedEvent[]): DeclaredLimits {
  return events.reduce((folded, { event }) => declaredLimitsAfter(folded, event), NO_LIMITS);
}

function metaOf(correlationId: string, clock: Clock, tenant = DEFAULT_TENANT) {
  return originMeta({
    ...{ messageId: newId(), correlationId, source: SOURCE },
    ...{ occurredAt: clock.now(), sourceClass: 'trusted', tenant },
  });
}
