/** Keys for the gateway: issued and revoked as events, so that a revocation is as fast as the log. */
import { randomBytes } from 'node:crypto';
import type { EventLog } from '@seamstream/event-log';
import { DEFAULT_TENANT, encodeEvent, originMeta, TOPIC } from '@seamstream/events';
import { type Clock, newId, SeamError, sha256 } from '@seamstream/kernel';
import { collectEvents, storedRanges } from '@seamstream/log-reader';
import { type ApiKeys, keysAfter, type ListedKey, listedKeys, type Role } from './known-keys.js';
import { checkTenant } from './tenant-name.js';

export interface KeyRequest {
  readonly name: string;
  readonly role: Role;
  /** Whose it is; the default tenant's where it is absent. */
  readonly tenant?: string;
  readonly by: string;
  /** Milliseconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null;
}

export interface IssuedKey {
  readonly keyId: string;
  /** The whole key: shown once, and in no record. */
  readonly key: string;
}

/** 9 bytes are 12 characters of base64url, 32 are 43. Secrets of 256 bits need no slow hash. */
const PUBLIC_BYTES = 9;
const SECRET_BYTES = 32;
const SOURCE = 'seam/cli';

/** @throws INVALID_INPUT for what is no name of a tenant */
export async function issueKey(
  log: EventLog,
  { name, role, tenant = DEFAULT_TENANT, by, expiresAt }: KeyRequest,
  clock: Clock,
): Promise<IssuedKey> {
  checkTenant('issue a key', tenant);
  const keyId = newKeyId();
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const digest = sha256(secret);
  await log.append([
    encodeEvent({
      type: 'ApiKeyIssued',
      meta: originMeta({
        ...{ messageId: newId(), correlationId: keyId, source: SOURCE },
        ...{ occurredAt: clock.now(), sourceClass: 'trusted', tenant },
      }),
      ...{ keyId, digest, name, role, expiresAt, issuedBy: by },
    }),
  ]);
  return { keyId, key: `sk-seam-${keyId}-${secret}` };
}

/** Drawn again where it begins with a dash: commands would read it as an option. */
function newKeyId(): string {
  const keyId = randomBytes(PUBLIC_BYTES).toString('base64url');
  return keyId.startsWith('-') ? newKeyId() : keyId;
}

/** @throws NOT_FOUND for a key that was not issued, CONFLICT for one that is revoked */
export async function revokeKey(
  log: EventLog,
  keyId: string,
  { by, reason }: { readonly by: string; readonly reason: string },
  clock: Clock,
): Promise<void> {
  const keys = await readKeys(log);
  const issued = keys.issued.get(keyId);
  if (issued === undefined)
    throw new SeamError(
      'NOT_FOUND',
      `Cannot revoke ${JSON.stringify(keyId)}: expected the public part of a key, got none of those issued. See "seam gateway keys list".`,
    );
  if (keys.revoked.has(keyId)) throw new SeamError('CONFLICT', `Cannot revoke ${keyId}: it is revoked already.`);
  await log.append([
    encodeEvent({
      type: 'ApiKeyRevoked',
      meta: originMeta({
        ...{ messageId: newId(), correlationId: keyId, source: SOURCE },
        ...{ occurredAt: clock.now(), sourceClass: 'trusted', tenant: issued.tenant },
      }),
      ...{ keyId, revokedBy: by, reason },
    }),
  ]);
}

/** Every key that was issued, the newest first, and whether it opens now. */
export async function listKeys(log: EventLog, clock: Clock): Promise<readonly ListedKey[]> {
  return listedKeys(await readKeys(log), clock.now());
}

async function readKeys(log: EventLog): Promise<ApiKeys> {
  const events = await collectEvents(log, await storedRanges(log, TOPIC.access), { undecodable: 'skip' });
  return keysAfter(events.map(({ event }) => event));
}
