/**
 * LoRA adapters as PEFT publishes them: adapter_config.json and adapter_model.safetensors (peft 0.21, save_and_load.py and
 * tuners/lora/config.py). Read ones become adapters of this system; written ones load in PeftModel.from_pretrained.
 *
 * What PEFT can and this engine does not compute is refused by name. Two things are said differently on the two sides:
 * rank-stabilised LoRA (https://arxiv.org/abs/2312.03732), α / √r instead of α / r, is an α of α·√r here; and where the output
 * head is tied to the embedding, PEFT stores a trained embedding twice.
 */
import { canonicalJson, messageOf, SeamError } from '@seamstream/kernel';
import type { RawConfig } from '@seamstream/model-files';
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from '@seamstream/model-files';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import type { TrainableSettings } from '../training/training.types.js';
import { type AdapterContent, checkAdapter, createAdapter } from './adapter.js';
import { LINEAR_MODULES, modulesOf, trainableShapes } from './parameters.js';

type LoraSettings = Extract<TrainableSettings, { kind: 'lora' }>;

export interface PeftFiles {
  /** adapter_config.json */
  readonly config: Uint8Array;
  /** adapter_model.safetensors */
  readonly tensors: Uint8Array;
}

export const PEFT_FILE = { config: 'adapter_config.json', tensors: 'adapter_model.safetensors' } as const;

/** Before every name: the wrappers that PEFT puts around a model. */
const WRAPPERS = 'base_model.model.';
const EMBEDDING = 'model.embed_tokens.weight';
const HEAD = 'lm_head.weight';

/** In the metadata of adapter_model.safetensors: what PEFT has no words for, so that an adapter comes back under its own digest. */
const OWN_SETTINGS = 'seamstream.settings';
const OWN_BASE_MODEL = 'seamstream.baseModelDigest';

/** Settings that say nothing about what is computed once an adapter is trained, regardless of their value. */
const WITHOUT_EFFECT = new Set([
  'auto_mapping',
  'base_model_name_or_path',
  'eva_config',
  'inference_mode',
  'loftq_config',
  'lora_dropout',
  'megatron_core',
  'peft_version',
  'qalora_group_size',
  'revision',
  'runtime_config',
  'ensure_weight_tying',
]);
/** Settings that are read below. */
const READ = new Set([
  'peft_type',
  'task_type',
  'r',
  'lora_alpha',
  'use_rslora',
  'target_modules',
  'exclude_modules',
  'modules_to_save',
  'bias',
  'init_lora_weights',
]);
/** Ways to begin that leave the base model's weights as they are; PiSSA, OLoRA, CorDA and LoftQ change them. */
const HARMLESS_BEGINNINGS: readonly unknown[] = [undefined, null, true, false, 'gaussian', 'orthogonal', 'eva', 'mica'];

/**
 * The adapter as PEFT's two files. Dropout is 0: this engine trains without.
 * @param baseModel what adapter_config.json calls the base model, e.g. its folder
 * @throws INVALID_INPUT for an adapter of whole weights
 */
export function encodePeft(
  { kind, settings, tensors, baseModelDigest }: AdapterContent,
  model: Pick<ModelConfig, 'tieWordEmbeddings' | 'fusedProjections'>,
  baseModel: string,
): PeftFiles {
  if (settings.kind !== 'lora') {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot write an adapter for PEFT: expected a LoRA adapter, this one is of kind ${kind}: it is a whole model. Merge it into a checkpoint instead.`,
    );
  }
  const stored = new Map([...tensors].map(([name, tensor]) => [`${WRAPPERS}${name}`, tensor]));
  const embedding = tensors.get(EMBEDDING);
  const isTiedEmbedding = model.tieWordEmbeddings && embedding !== undefined;
  if (isTiedEmbedding) stored.set(`${WRAPPERS}${HEAD}`, embedding);
  const saved = isTiedEmbedding ? ['embed_tokens', 'lm_head'] : settings.modulesToSave;
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: baseModel,
    r: settings.rank,
    lora_alpha: settings.alpha,
    lora_dropout: 0,
    target_modules: modulesOf(model, settings.targetModules),
    modules_to_save: saved.length === 0 ? null : saved,
    ...(isTiedEmbedding ? { ensure_weight_tying: true } : {}),
    bias: 'none',
    use_rslora: false,
    use_dora: false,
    fan_in_fan_out: false,
    rank_pattern: {},
    alpha_pattern: {},
    init_lora_weights: true,
    inference_mode: true,
  };
  return {
    config: Buffer.from(`${JSON.stringify(config, null, 2)}\n`),
    tensors: encodeSafetensors(stored, {
      format: 'pt',
      [OWN_BASE_MODEL]: baseModelDigest,
      [OWN_SETTINGS]: canonicalJson(settings),
    }),
  };
}

/**
 * What PEFT's two files say, checked against the base model that they are for. PEFT does not record which weights an adapter was
 * trained on: of PEFT's adapters only the shapes can be compared, of those written here the base model's digest too.
 * @throws ADAPTER_INVALID naming the setting or tensor that is damaged, missing, foreign or not computed here
 */
export function decodePeft(
  files: PeftFiles,
  base: { readonly config: ModelConfig; readonly digest: string },
): AdapterContent {
  const raw = parseConfig(files.config);
  refuseUncomputed(raw);
  let file: ReturnType<typeof decodeSafetensors>;
  try {
    file = decodeSafetensors(files.tensors, PEFT_FILE.tensors);
  } catch (cause) {
    throw refused(`${PEFT_FILE.tensors} is not a sound safetensors file: ${messageOf(cause)}`, {}, cause);
  }
  const tensors = new Map<string, StoredTensor>();
  const ownBase = file.metadata[OWN_BASE_MODEL];
  if (ownBase !== undefined && ownBase !== base.digest)
    throw refused(`it was trained on base model ${ownBase}, the one in use is ${base.digest}`);
  for (const [name, tensor] of file.tensors) {
    if (!name.startsWith(WRAPPERS))
      throw refused(`${PEFT_FILE.tensors} holds ${name}: expected names that begin with ${WRAPPERS}`, { tensor: name });
    tensors.set(name.slice(WRAPPERS.length), tensor);
  }
  const settings = settingsOf(raw, tensors, base.config);
  if (base.config.tieWordEmbeddings && settings.modulesToSave.length > 0) dropTiedHead(tensors);
  const modulesToSave = settings.modulesToSave.filter((name) => !(base.config.tieWordEmbeddings && name === 'lm_head'));
  const content = {
    kind: 'lora',
    settings: ownSettings(file.metadata[OWN_SETTINGS], { ...settings, modulesToSave }, base.config),
    baseModelDigest: base.digest,
    tensors,
  } as const;
  const adapter = createAdapter(content);
  checkAdapter(adapter, { shapes: trainableShapes(base.config, content.settings) });
  return content;
}

function parseConfig(bytes: Uint8Array): RawConfig {
  let raw: unknown;
  try {
    raw = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw refused(`${PEFT_FILE.config} is not JSON`, {}, cause);
  }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw refused(`${PEFT_FILE.config} is not a JSON object`);
  return raw as RawConfig;
}

function refuseUncomputed(raw: RawConfig): void {
  const says = (key: string, expected: string): SeamError =>
    refused(`${PEFT_FILE.config} has ${key} ${JSON.stringify(raw[key])}; this engine computes ${expected}`, {
      setting: key,
    });
  if (raw.peft_type !== 'LORA') throw says('peft_type', '"LORA"');
  if ((raw.task_type ?? 'CAUSAL_LM') !== 'CAUSAL_LM') throw says('task_type', '"CAUSAL_LM"');
  if ((raw.bias ?? 'none') !== 'none') throw says('bias', '"none"');
  if (!HARMLESS_BEGINNINGS.includes(raw.init_lora_weights))
    throw says('init_lora_weights', 'adapters whose base model stayed as it is');
  for (const [key, value] of Object.entries(raw)) {
    if (WITHOUT_EFFECT.has(key) || READ.has(key) || isNothing(value)) continue;
    throw says(key, 'plain LoRA, without it');
  }
}

/** The value with which PEFT's settings say "not used". */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Target modules may be given as a list of endings, a pattern or "all-linear": the tensors say what was meant. */
function settingsOf(raw: RawConfig, tensors: ReadonlyMap<string, StoredTensor>, model: ModelConfig): LoraSettings {
  const { r: rank, lora_alpha: alpha } = raw;
  if (!Number.isInteger(rank) || (rank as number) < 1)
    throw refused(`${PEFT_FILE.config} has r ${JSON.stringify(rank)}: expected an integer of at least 1`);
  if (typeof alpha !== 'number' || !(alpha > 0))
    throw refused(`${PEFT_FILE.config} has lora_alpha ${JSON.stringify(alpha)}: expected a positive number`);
  const modules = new Set<string>();
  refuseOutsideOfLayers(tensors);
  for (const name of tensors.keys()) {
    const module = /\.([^.]+)\.lora_[AB]\.weight$/.exec(`.${name}`)?.[1];
    if (module === undefined) continue;
    if (!(LINEAR_MODULES as readonly string[]).includes(module))
      throw refused(`${PEFT_FILE.tensors} holds ${name}: expected factors of ${LINEAR_MODULES.join(', ')}`, {
        tensor: name,
      });
    modules.add(module);
  }
  if (modules.size === 0) throw refused(`${PEFT_FILE.tensors} holds no lora_A and lora_B tensors`);
  refuseSomeLayers(tensors, modules, model.layers);
  const wanted = Array.isArray(raw.modules_to_save) ? (raw.modules_to_save as readonly unknown[]) : [];
  const saved = new Set(wanted.map((name) => String(name).split('.').at(-1)!));
  const foreign = [...saved].find((name) => name !== 'embed_tokens' && name !== 'lm_head');
  if (foreign !== undefined)
    throw refused(`${PEFT_FILE.config} has ${foreign} in modules_to_save: expected embed_tokens or lm_head`);
  return {
    kind: 'lora',
    rank: rank as number,
    alpha: raw.use_rslora === true ? alpha * Math.sqrt(rank as number) : alpha,
    targetModules: LINEAR_MODULES.filter((name) => modules.has(name)),
    modulesToSave: (['embed_tokens', 'lm_head'] as const).filter((name) => saved.has(name)),
    seed: 'peft',
  };
}

/** Embedding and head are trained whole or not at all; PEFT can also give them factors. */
function refuseOutsideOfLayers(tensors: ReadonlyMap<string, StoredTensor>): void {
  for (const name of tensors.keys()) {
    const module = /(?:^|\.)(embed_tokens|lm_head)\.(?:lora_|base_layer\.)/.exec(name)?.[1];
    if (module === undefined) continue;
    throw refused(
      `it has LoRA factors for ${module} (${name}); this engine trains ${module} whole, by modules_to_save, or not at all. Train one without ${module} among its target_modules`,
      { tensor: name },
    );
  }
}

/** A pattern may have chosen single layers; here a module is trained in every layer or in none. */
function refuseSomeLayers(
  tensors: ReadonlyMap<string, StoredTensor>,
  modules: ReadonlySet<string>,
  layers: number,
): void {
  for (const module of modules) {
    const trained = new Set<number>();
    for (const name of tensors.keys()) {
      const layer = /\.layers\.(\d+)\./.exec(name)?.[1];
      const itsModule = /\.([^.]+)\.lora_[AB]\.weight$/.exec(name)?.[1];
      if (layer !== undefined && itsModule === module) trained.add(Number(layer));
    }
    const missing = Array.from({ length: layers }, (_, layer) => layer).filter((layer) => !trained.has(layer));
    if (missing.length === 0) continue;
    throw refused(
      `it changes ${module} in ${trained.size} of ${layers} layers, not in layer ${missing[0]} for one; this engine trains a module in every layer or in none. Train one whose target_modules name modules, without layers`,
      { module },
    );
  }
}

/** The settings that the file keeps for itself, where they say the same as PEFT's. */
function ownSettings(kept: string | undefined, read: LoraSettings, model: ModelConfig): LoraSettings {
  if (kept === undefined) return read;
  const meaning = ({ rank, alpha, targetModules, modulesToSave }: LoraSettings): string =>
    canonicalJson({
      rank,
      alpha,
      targetModules: [...modulesOf(model, targetModules)].sort(),
      modulesToSave: [...modulesToSave].sort(),
    });
  try {
    // Written by a stranger: it counts only where it means the same.
    const own = JSON.parse(kept) as LoraSettings;
    if (typeof own.seed !== 'string' || meaning(own) !== meaning(read)) return read;
    const { alpha, targetModules, modulesToSave, seed } = own;
    return { ...read, alpha, targetModules: [...targetModules], modulesToSave: [...modulesToSave], seed };
  } catch {
    return read;
  }
}

/** One tensor is both embedding and head here; an adapter that trained them apart would untie them. */
function dropTiedHead(tensors: Map<string, StoredTensor>): void {
  const [embedding, head] = [tensors.get(EMBEDDING), tensors.get(HEAD)];
  const isSame = embedding && head && Buffer.compare(bytesOf(embedding.data), bytesOf(head.data)) === 0;
  if (!isSame) {
    throw refused(
      `it trained the embedding or the head of a model that ties them, and not both alike: expected ${EMBEDDING} and ${HEAD} with the same values (ensure_weight_tying in PEFT)`,
    );
  }
  tensors.delete(HEAD);
}

function bytesOf(data: Float32Array): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function refused(problem: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown): SeamError {
  return new SeamError(
    'ADAPTER_INVALID',
    `Cannot read a PEFT adapter: ${problem.replace(/\.$/, '')}. It is not used.`,
    {
      details,
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
