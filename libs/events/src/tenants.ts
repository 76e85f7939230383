/** Names of tenants. Pure. */
import type { EventMeta } from './generated/events.generated.js';

/** To it belongs everything without another tenant: old events, old keys, and what the services do for all. */
export const DEFAULT_TENANT = 'default';

/** 1 to 32 lower-case letters and figures of ASCII, with single hyphens between them. */
const FORM = /^[a-z0-9](?:-?[a-z0-9]){0,31}$/;
const MOST_CHARACTERS = 32;

export function isTenant(text: string): boolean {
  return text.length <= MOST_CHARACTERS && FORM.test(text);
}

/** The tenant whose event it is. */
export function tenantOf({ tenant }: Pick<EventMeta, 'tenant'>): string {
  return tenant ?? DEFAULT_TENANT;
}

/**
 * Names the client of a tenant among those of all tenants: limits, uses and repeated requests are kept apart by it. Of the default tenant it is
 * the client's own name, as it always was.
 * @param id public part of a key, or the name of a user: neither has a slash
 */
export function clientIn(tenant: string, id: string): string {
  return tenant === DEFAULT_TENANT ? id : `${tenant}/${id}`;
}

/** As `userIdOf` of the gateway's access names people who come with a token (docs/adr/0109): 16 bytes in base64url. */
const USER = /^user-[A-Za-z0-9_-]{22}$/;

/** Whether a client is a person with a token of an OpenID provider. A key has another form. */
export function isUserId(client: string): boolean {
  return USER.test(client);
}

/** The tenant and the client that {@link clientIn} named. */
export function clientNamed(name: string): readonly [tenant: string, id: string] {
  const slash = name.indexOf('/');
  return slash < 0 ? [DEFAULT_TENANT, name] : [name.slice(0, slash), name.slice(slash + 1)];
}

/** As an event has it: the default tenant has no name there, so one tenant is never written in two ways. */
export function tenantInMeta(tenant: string): EventMeta['tenant'] {
  return tenant === DEFAULT_TENANT ? null : tenant;
}
