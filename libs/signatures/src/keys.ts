/**
 * Keys: a signer has its private key in one file (PKCS #8, PEM), a verifier has one JSON file of public keys, each with what
 * it may vouch for:
 *
 *   { "keys": [ { "name": "trainer", "keyId": "…", "may": ["adapters", "promotions"], "publicKey": "-----BEGIN PUBLIC KEY-----…" } ] }
 *
 * A key that may vouch for buffer versions cannot promote an adapter: an intruder in one service has the rights of that service alone.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { messageOf, SeamError, sha256 } from '@seamstream/kernel';

/** What a key may vouch for. */
export const VOUCHERS = ['adapters', 'promotions', 'manifests', 'plans'] as const;
export type Voucher = (typeof VOUCHERS)[number];

export interface SigningKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
}

export interface TrustedKey {
  readonly name: string;
  readonly keyId: string;
  readonly may: readonly Voucher[];
  readonly publicKey: KeyObject;
}

export interface TrustedKeyEntry {
  readonly name: string;
  readonly keyId: string;
  readonly may: readonly Voucher[];
  /** SubjectPublicKeyInfo, PEM. */
  readonly publicKey: string;
}

/** SHA-256 of the public key's SubjectPublicKeyInfo in DER, as 64 hexadecimal digits. */
function keyIdOf(publicKey: KeyObject): string {
  return sha256(publicKey.export({ type: 'spki', format: 'der' }));
}

/** A new Ed25519 pair (RFC 8032). */
export function generateKey(
  name: string,
  may: readonly Voucher[],
): { readonly privatePem: string; readonly trusted: TrustedKeyEntry } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    trusted: {
      name,
      keyId: keyIdOf(publicKey),
      may,
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
  };
}

/** @throws INVALID_CONFIGURATION, which never repeats the text */
export function parseSigningKey(pem: string, file: string): SigningKey {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    throw unusable(file, 'a private key as PEM without a passphrase, got something else');
  }
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw unusable(file, `an Ed25519 key, got ${privateKey.asymmetricKeyType ?? 'another kind'}`);
  return { keyId: keyIdOf(createPublicKey(privateKey)), privateKey };
}

/** @throws INVALID_CONFIGURATION naming the key at fault */
export function parseTrustedKeys(text: string, file: string): readonly TrustedKey[] {
  return parseTrustedEntries(text, file).map((entry) => trustedKey(entry, file));
}

/** The entries of the file, each checked. */
export function parseTrustedEntries(text: string, file: string): readonly TrustedKeyEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unusable(file, `JSON, got another text (${messageOf(error).slice(0, 80)})`);
  }
  const { keys } = (value ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw unusable(file, 'a list "keys", got none');
  for (const key of keys as readonly unknown[]) if (!isEntry(key)) throw unusable(file, ENTRY);
  return keys as readonly TrustedKeyEntry[];
}

const ENTRY = `keys of { name, keyId, may, publicKey } with "may" out of ${VOUCHERS.join(', ')}, got something else`;

function trustedKey(entry: TrustedKeyEntry, file: string): TrustedKey {
  let publicKey: KeyObject;
  try {
    if (entry.publicKey.includes('PRIVATE')) throw new Error('a private key');
    publicKey = createPublicKey(entry.publicKey);
  } catch {
    throw unusable(file, `a public key as PEM for ${entry.name}, got something else`);
  }
  if (publicKey.asymmetricKeyType !== 'ed25519') throw unusable(file, `an Ed25519 key for ${entry.name}`);
  if (keyIdOf(publicKey) !== entry.keyId)
    throw unusable(file, `keyId ${keyIdOf(publicKey)} for ${entry.name}, got ${entry.keyId}`);
  return { ...entry, publicKey };
}

function isEntry(value: unknown): value is TrustedKeyEntry {
  const { name, keyId, may, publicKey } = (value ?? {}) as Partial<Record<keyof TrustedKeyEntry, unknown>>;
  return (
    [name, keyId, publicKey].every((each) => typeof each === 'string') &&
    Array.isArray(may) &&
    (may as readonly unknown[]).every((each) => VOUCHERS.includes(each as Voucher))
  );
}

function unusable(file: string, expected: string): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot read the keys of ${file}: expected ${expected}. Make keys with: seam keys generate NAME.`,
  );
}
