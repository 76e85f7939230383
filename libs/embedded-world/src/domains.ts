/** The domains of the embedded world. */
import { SeamError } from '@seamstream/kernel';
import { animals } from './lore/animals.js';
import { herbalDoses, herbs } from './lore/herbs.js';
import type { Lore, WorldVariant } from './lore/lore.js';
import { metals } from './lore/metals.js';
import { timber, timberYard } from './lore/timber.js';

const LORE: readonly Lore[] = [timber, herbs, metals, animals, timberYard, herbalDoses];
const byDomain = new Map(LORE.map((lore) => [lore.domain, lore]));

const domainsOf = (variant: WorldVariant): readonly string[] =>
  LORE.filter((lore) => lore.variant === variant).map(({ domain }) => domain);

/** Domains that are there from the beginning. */
export const DOMAINS = domainsOf('base');
/** Domains that appear later in the stream: known items under other words and other phrasing. */
export const SHIFTED_DOMAINS = domainsOf('shifted');

/** @throws NOT_FOUND */
export function loreOf(domain: string): Lore {
  const lore = byDomain.get(domain);
  if (lore === undefined) {
    throw new SeamError(
      'NOT_FOUND',
      `Cannot look up a domain of the embedded world: expected one of ${[...byDomain.keys()].join(', ')}, got ${JSON.stringify(domain)}.`,
    );
  }
  return lore;
}

export function isWorldDomain(domain: string): boolean {
  return byDomain.has(domain);
}
