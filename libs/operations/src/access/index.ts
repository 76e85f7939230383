export { type IssuedKey, issueKey, type KeyRequest, listKeys, revokeKey } from './api-keys.js';
export { type ApiKeys, apiKeysAfter, closedBy, type KnownKey, keyOf, NO_KEYS, ROLES, type Role } from './known-keys.js';
export { isUserId, userIdOf } from './users.js';
