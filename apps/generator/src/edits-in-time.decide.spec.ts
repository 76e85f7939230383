import type { ModelConfig } from '@seamstream/language-model';
import { generatorConfigSchema } from './config.js';
import { longestWriting } from './edits-in-time.decide.js';

/** Of SmolLM2-135M, as far as the size of its caches needs it: 46,080 bytes for each token. */
const MODEL = { layers: 30, keyValueHeads: 3, headDimension: 64 } as ModelConfig;
const TRIES_MS = 3 * 30_000;

describe('the longest time for the edits of one passage', () => {
  it('covers two writers of an answer: the candidate of a release, and its parent', () => {
    expect(longest({ groupSize: 8 })).toBe(2 * TRIES_MS);
  });

  it('covers all turns of a group whose edits do not fit into the caches together', () => {
    // A MiB is 22 tokens; an edit has 256.
    expect(longest({ groupSize: 8, cacheMib: 24, sampling: { maxTokens: 256 } })).toBe(4 * TRIES_MS);
    expect(longest({ groupSize: 8, cacheMib: 1, sampling: { maxTokens: 256 } })).toBe(8 * TRIES_MS);
    expect(longest({ groupSize: 384 })).toBe(3 * TRIES_MS);
  });

  it('covers all turns of a group that is larger than the requests that a server has under way', () => {
    const vllm = { url: 'http://host:8000/v1', model: 'base', adaptersFolder: '/adapters', concurrency: 2 };
    expect(longest({ groupSize: 8, driver: 'vllm', vllm })).toBe(4 * TRIES_MS);
  });

  it('covers the scouts, who write after the adapter', () => {
    expect(longest({ groupSize: 256, scouts: 2 })).toBe(3 * TRIES_MS);
    expect(longest({ groupSize: 256, scouts: 0 })).toBe(2 * TRIES_MS);
  });
});

function longest(generator: Readonly<Record<string, unknown>>): number {
  return longestWriting(generatorConfigSchema.parse({ generator }).generator, MODEL).ms;
}
