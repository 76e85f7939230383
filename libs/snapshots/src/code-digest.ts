import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '@seamstream/kernel';

const IS_CODE = /\.(js|ts)$/;
const IS_TEST = /\.(spec|contract|fake)\.[jt]s$/;

/** This library's compiled modules, or its sources under test; the other libraries' are in folders of the same name. */
const own = dirname(fileURLToPath(import.meta.url));

/**
 * Digest of what libraries do: of the text of their files, specs apart. Another release, and another state of a clone, has
 * another one.
 * @param libraries folders of libs/
 */
export function codeDigest(libraries: readonly string[]): string {
  const parts = libraries.flatMap((name) => {
    const folder = join(own, '../..', name, basename(own));
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => IS_CODE.test(file) && !IS_TEST.test(file))
      .sort()
      .flatMap((file) => [`\n${name}/${file}\n`, readFileSync(join(folder, file))]);
  });
  return sha256(...parts);
}
