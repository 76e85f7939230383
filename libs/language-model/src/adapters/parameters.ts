/** The tensors that a training run may change: all weights, or LoRA factors (https://arxiv.org/abs/2106.09685). */
import { Random, SeamError } from '@seamstream/kernel';
import type { StoredTensor } from '@seamstream/model-files';
import { type Checkpoint, readWeights } from '../checkpoint/checkpoint.js';
import { checkpointShapes } from '../checkpoint/model-config.js';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import type { TrainableSettings } from '../training/training.types.js';

export const LINEAR_MODULES = [
  ...['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
  ...['qkv_proj', 'gate_up_proj'],
] as const;

/** Layers that some families store in one matrix (Phi-3): the one name stands for all of the others. */
const FUSED: Readonly<Record<string, readonly string[]>> = {
  qkv_proj: ['q_proj', 'k_proj', 'v_proj'],
  gate_up_proj: ['gate_proj', 'up_proj'],
};

/**
 * The modules of this model that are meant, by their names in its checkpoint: of a model that stores q, k and v in one matrix
 * all three names together mean qkv_proj.
 * @throws INVALID_INPUT where only some of them are named (one matrix has one pair of factors), or one that the model does not have
 */
export function modulesOf(
  { fusedProjections }: Pick<ModelConfig, 'fusedProjections'>,
  targetModules: readonly string[],
): readonly string[] {
  const named = new Set(targetModules);
  if (!fusedProjections) {
    const fused = targetModules.find((name) => Object.hasOwn(FUSED, name));
    if (fused === undefined) return targetModules;
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot train ${fused}: expected targetModules of this model, which stores its parts apart. Name ${FUSED[fused]!.join(', ')} instead.`,
    );
  }
  for (const [fused, members] of Object.entries(FUSED)) {
    const given = members.filter((name) => named.delete(name));
    if (given.length > 0 && given.length < members.length && !named.has(fused)) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot train ${given.join(', ')} alone: this model stores ${members.join(', ')} in one matrix. Name all of them in targetModules, or ${fused}.`,
      );
    }
    if (given.length > 0) named.add(fused);
  }
  return [...named];
}

/** Names of the factors of a linear layer, as PEFT writes them: y = W·x + (α / r)·B·A·x, A [r, in], B [out, r]. */
export function loraNames(weight: string): { readonly a: string; readonly b: string } {
  const module = weight.replace(/\.weight$/, '');
  return { a: `${module}.lora_A.weight`, b: `${module}.lora_B.weight` };
}

/**
 * Names and shapes of the trained tensors in a fixed order.
 * @throws INVALID_INPUT when a module is unknown or nothing would be trained.
 */
export function trainableShapes(config: ModelConfig, settings: TrainableSettings): Map<string, readonly number[]> {
  const all = checkpointShapes(config);
  if (settings.kind === 'full') return all;
  const unknown = settings.targetModules.filter((name) => !(LINEAR_MODULES as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot use LoRA's targetModules: expected names among ${LINEAR_MODULES.join(', ')}, got ${unknown.join(', ')}.`,
    );
  }
  if (!Number.isInteger(settings.rank) || settings.rank < 1) {
    throw new SeamError('INVALID_INPUT', `Cannot use LoRA's rank: expected an integer ≥ 1, got ${settings.rank}.`);
  }
  const shapes = new Map<string, readonly number[]>();
  const modules = modulesOf(config, settings.targetModules);
  for (const [name, shape] of all) {
    const module = name.split('.').at(-2)!;
    if (name.endsWith('.weight') && modules.includes(module)) {
      const { a, b } = loraNames(name);
      shapes.set(a, [settings.rank, shape[1]!]);
      shapes.set(b, [shape[0]!, settings.rank]);
    }
    if (settings.modulesToSave.some((saved) => saved === module)) shapes.set(name, shape);
  }
  if (shapes.size === 0) {
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot use LoRA settings: expected at least one module of this model, got none. Name one.',
    );
  }
  return shapes;
}

/**
 * Where training starts without an adapter: the checkpoint's own weights; for LoRA, A uniform in ±1/√in and B zero, so
 * that the first step starts from the base model (PEFT's initialisation: kaiming_uniform with a = √5).
 */
export async function initialTensors(
  checkpoint: Checkpoint,
  settings: TrainableSettings,
): Promise<Map<string, StoredTensor>> {
  const shapes = trainableShapes(checkpoint.config, settings);
  const tensors = await readWeights(checkpoint, shapes.keys());
  for (const [name, shape] of shapes) {
    const stored = tensors.get(name);
    const data = stored?.data ?? new Float32Array(shape.reduce((total, size) => total * size, 1));
    if (!stored && settings.kind === 'lora' && name.includes('.lora_A.')) {
      const bound = 1 / Math.sqrt(shape[1]!);
      const random = Random.of('lora', settings.seed, name);
      for (let i = 0; i < data.length; i++) data[i] = (2 * random.float() - 1) * bound;
    }
    tensors.set(name, { shape: [...shape], data });
  }
  return tensors;
}
