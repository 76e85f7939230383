import { generateKeyPairSync } from 'node:crypto';
import { generateKey, parseSigningKey, parseTrustedKeys } from './keys.js';

const { privatePem, trusted } = generateKey('trainer', ['adapters']);
const listOf = (...keys: readonly object[]) => JSON.stringify({ keys });

describe('A signing key', () => {
  it('has the id of its public half', () => {
    expect(parseSigningKey(privatePem, 'f').keyId).toBe(trusted.keyId);
    expect(parseTrustedKeys(listOf(trusted), 'f')).toMatchObject([
      { name: 'trainer', keyId: trusted.keyId, may: ['adapters'] },
    ]);
  });

  it('that cannot be read is refused without being repeated', () => {
    const broken = privatePem.replace('MC4', 'XX4');
    expect(() => parseSigningKey(broken, 'key.pem')).toThrow(
      'Cannot read the keys of key.pem: expected a private key as PEM',
    );
    expect(() => parseSigningKey(broken, 'key.pem')).not.toThrow(broken.split('\n')[1]);
  });

  it('of another kind is refused', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(() => parseSigningKey(String(rsa), 'f')).toThrow('expected an Ed25519 key, got rsa');
  });
});

describe('A list of trusted keys', () => {
  it.each([
    ['is no JSON', '-----BEGIN', 'expected JSON'],
    ['has no keys', '{}', 'a list "keys"'],
    ['grants what does not exist', listOf({ ...trusted, may: ['everything'] }), 'adapters, promotions, manifests'],
    ['holds a private key', listOf({ ...trusted, publicKey: privatePem }), 'a public key as PEM for trainer'],
    ['names a key by the id of another', listOf({ ...trusted, keyId: '00' }), 'expected keyId'],
  ])('that %s is refused', (_, text, reason) => {
    expect(() => parseTrustedKeys(text, 'trusted.json')).toThrow(reason);
  });
});
