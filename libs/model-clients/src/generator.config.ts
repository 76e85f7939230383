/** SEAM_GENERATOR_VLLM_…: a generator's model on a vLLM server. */
import { DEFAULT_LIMITS } from '@seamstream/openai-endpoint';
import { z } from 'zod';
import { connectionShape } from './executor.config.js';

const positive = z.int().positive();

export const vllmGeneratorSchema = z
  .object({
    ...connectionShape,
    /** Where adapters are written, a folder that the server sees too. */
    adaptersFolder: z.string().min(1).optional(),
    /** How the server sees it; default: the same. */
    serverAdaptersFolder: z.string().min(1).optional(),
    /** Most requests at a time. */
    concurrency: positive.default(64),
    /** Longest wait for an answer to one request. */
    requestTimeoutMs: positive.default(DEFAULT_LIMITS.requestTimeoutMs),
    /** How far an adapter's answers may be from its promotion's fingerprint, as a share of the largest logit; bfloat16 needs 0.05. */
    tolerance: z.number().positive().max(1).default(0.001),
    /** How long an outage is waited for before the service takes the problem up again. */
    patienceMs: positive.default(DEFAULT_LIMITS.patienceMs),
  })
  .prefault({});

export type VllmChoice = z.infer<typeof vllmGeneratorSchema>;

/** What a choice lacks or contradicts itself in; a check of the object that has it as `vllm`. */
export function checkVllmChoice(
  { driver, vllm }: { readonly driver: 'checkpoint' | 'vllm'; readonly vllm: VllmChoice },
  context: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
): void {
  const needed = [
    ['url', 'the address of the server (http://host:8000/v1)'],
    ['model', "the base model's name at the server"],
    ['adaptersFolder', 'a folder that the server reads adapters from'],
  ] as const;
  for (const [field, meaning] of needed) {
    if (driver === 'vllm' && vllm[field] === undefined) {
      const message = `expected ${meaning}, since the driver is vllm`;
      context.addIssue({ code: 'custom', path: ['vllm', field], message });
    }
  }
  if (driver === 'checkpoint' && vllm.url !== undefined)
    context.addIssue({ code: 'custom', path: ['driver'], message: 'expected vllm, since vllm.url is given' });
}
