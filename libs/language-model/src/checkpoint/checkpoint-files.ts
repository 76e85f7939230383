/** The files of a model folder by their content, for programs that cannot measure a checkpoint's digest. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** SHA-256 of config.json and of each file of weights, by name; every byte is read. */
export async function checkpointFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name === 'config.json' || name.includes('.safetensors'));
  const digests: Record<string, string> = {};
  for (const name of names.sort()) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    digests[name] = hash.digest('hex');
  }
  return digests;
}
