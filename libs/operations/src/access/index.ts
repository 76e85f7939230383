export { type IssuedKey, issueKey, type KeyRequest, listKeys, revokeKey } from './api-keys.js';
export {
  type ApiKeys,
  closedBy,
  FoldedKeys,
  isAtLeast,
  type KnownKey,
  keyOf,
  keysAfter,
  type ListedKey,
  listedKeys,
  ROLES,
  type Role,
} from './known-keys.js';
export { type KnownSession, KnownSessions, LONGEST_SESSION_MS, type SignedInUser } from './known-sessions.js';
export { signOutUser } from './sign-out.js';
export { checkTenant } from './tenant-name.js';
export { userIdOf } from './users.js';
