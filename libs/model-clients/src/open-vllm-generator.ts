/** The generator that a configuration puts on a vLLM server. */
import { SeamError, systemClock } from '@seamstream/kernel';
import { DEFAULT_LIMITS, EndpointClient } from '@seamstream/openai-endpoint';
import type { VllmChoice } from './generator.config.js';
import { VllmGenerator } from './generator.vllm.adapter.js';
import { keyOf } from './open-executor.js';

interface OpenedVllmGenerator {
  readonly model: VllmGenerator;
  /** @throws SeamError why no request is answered: at present, or before a person acts */
  readonly assertAnswering: () => void;
  readonly close: () => Promise<void>;
}

/** @throws INVALID_CONFIGURATION; otherwise as VllmGenerator.open */
export async function openVllmGenerator(
  choice: { readonly modelFolder: string; readonly chatTemplate: 'auto' | 'none'; readonly vllm: VllmChoice },
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenedVllmGenerator> {
  const { modelFolder, chatTemplate, vllm } = choice;
  const { url, model, keyVariable, adaptersFolder, serverAdaptersFolder = adaptersFolder, tolerance, ...limits } = vllm;
  if (url === undefined || model === undefined || adaptersFolder === undefined || serverAdaptersFolder === undefined)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Cannot open the generator: vLLM needs an address, a model and a folder of adapters.',
    );
  const client = new EndpointClient(
    {
      url,
      ...keyOf(keyVariable, 'SEAM_GENERATOR_VLLM_KEY_VARIABLE', environment),
      limits: { ...DEFAULT_LIMITS, ...limits },
      budget: { tokens: null, money: null, promptPrice: 0, responsePrice: 0 },
    },
    { clock: systemClock, chance: Math.random },
  );
  try {
    const { concurrency } = limits;
    const folders = { modelFolder, adaptersFolder, serverAdaptersFolder };
    const settings = { ...folders, chatTemplate, model, concurrency, tolerance };
    return {
      model: await VllmGenerator.open(client, settings),
      assertAnswering: () => client.assertAnswering(),
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}
