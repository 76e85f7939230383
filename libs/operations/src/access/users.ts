/** Names of people who come with a token of an OpenID provider. Pure. */
import { canonicalJson, sha256 } from '@seamstream/kernel';

/** 16 bytes are 22 characters of base64url. */
const NAME_BYTES = 16;

/**
 * Names a user in events: the same for all tokens of one subject, and without the words by which the provider knows them (docs/adr/0109).
 * @param issuer as tokens have it (iss)
 * @param subject as tokens have it (sub)
 */
export function userIdOf(issuer: string, subject: string): string {
  const digest = Buffer.from(sha256(canonicalJson([issuer, subject])), 'hex');
  return `user-${digest.subarray(0, NAME_BYTES).toString('base64url')}`;
}
