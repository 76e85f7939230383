/** A key for signing adapters, promotions and versions of the buffer, in a separate file, and its public half among the trusted ones. */
import { SeamError } from '@seamstream/kernel';
import { generateKey, parseTrustedEntries, type Voucher } from '@seamstream/signatures';

interface KeyFolder {
  isPresent(path: string): Promise<boolean>;
  readInput(path: string): Promise<Uint8Array>;
  writeOutput(path: string, body: Uint8Array, options?: { readonly replace?: boolean }): Promise<void>;
}

export interface GeneratedKey {
  readonly name: string;
  readonly keyId: string;
  readonly may: readonly Voucher[];
  readonly keyFile: string;
  readonly trustedFile: string;
}

/** @throws CONFLICT where the private key's file is there, which is never replaced */
export async function generateKeyFiles(
  files: KeyFolder,
  { name, may, keyFile, trustedFile }: Omit<GeneratedKey, 'keyId'>,
): Promise<GeneratedKey> {
  if (await files.isPresent(keyFile)) {
    throw new SeamError(
      'CONFLICT',
      `Cannot make a key: expected no file ${keyFile}, it is there. Name another one (--key), or remove it when nothing signs with it any more.`,
    );
  }
  const known = (await files.isPresent(trustedFile))
    ? parseTrustedEntries(Buffer.from(await files.readInput(trustedFile)).toString(), trustedFile)
    : [];
  const { privatePem, trusted } = generateKey(name, may);
  const list = `${JSON.stringify({ keys: [...known, trusted] }, null, 2)}\n`;
  await files.writeOutput(keyFile, Buffer.from(privatePem));
  await files.writeOutput(trustedFile, Buffer.from(list), { replace: true });
  return { name, keyId: trusted.keyId, may, keyFile, trustedFile };
}
