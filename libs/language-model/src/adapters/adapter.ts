/**
 * An adapter is everything that a training run changed, as tensors: all weights (`full`) or LoRA factors (`lora`). Its name
 * is the SHA-256 of its content (kind, settings, base model, tensors), so a name cannot be reused, two files with the same content
 * are the same adapter, and a process that loads one measures what it is instead of believing it.
 *
 * On disk: one safetensors file whose metadata holds the non-tensor part as canonical JSON under `seamstream.adapter`.
 */
import { canonicalJson, isSeamError, messageOf, SeamError, sha256 } from '@seamstream/kernel';
import { decodeSafetensors, encodeSafetensors, type StoredTensor, sortedTensors } from '@seamstream/model-files';
import type { TrainableSettings } from '../training/training.types.js';

export interface AdapterContent {
  readonly kind: TrainableSettings['kind'];
  readonly baseModelDigest: string;
  /** Names are the engine's parameter names. */
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly settings: TrainableSettings;
}

export interface Adapter extends AdapterContent {
  /** SHA-256 of the content; see {@link adapterDigest}. */
  readonly digest: string;
}

/** What an adapter must satisfy before its tensors are used. */
export interface AdapterIntake {
  /** Refuse an adapter trained on another base model. */
  readonly baseModelDigest?: string;
  /** Refuse another content, e.g. the digest that an event names. */
  readonly digest?: string;
  /** Exactly these tensors with these shapes. */
  readonly shapes?: ReadonlyMap<string, readonly number[]>;
  /** The same as they follow from the adapter's own settings, for the model that is to carry it: see trainableShapes. */
  readonly shapesFor?: (settings: TrainableSettings) => ReadonlyMap<string, readonly number[]>;
  /** Default 8 GiB. */
  readonly maxBytes?: number;
}

const METADATA_KEY = 'seamstream.adapter';
const DEFAULT_MAX_BYTES = 8 * 2 ** 30;

/**
 * SHA-256 over the canonical JSON of {baseModelDigest, kind, settings} and, sorted by name, each tensor's name, shape and
 * little-endian f32 bytes. Independent of the order of tensors and keys.
 */
export function adapterDigest({ kind, baseModelDigest, settings, tensors }: AdapterContent): string {
  return sha256(canonicalJson({ baseModelDigest, kind, settings }), ...tensorParts(tensors));
}

/** What stands before a tensor's bytes in a digest. */
export function tensorHeading(name: string, shape: readonly number[], dtype = 'F32'): string {
  return `\n${JSON.stringify(name)}${dtype === 'F32' ? '' : dtype}[${shape.join(',')}]\n`;
}

/** Name, shape and bytes of every tensor in the order of names: what digests are taken over. */
export function* tensorParts(tensors: ReadonlyMap<string, StoredTensor>): Generator<string | Uint8Array> {
  for (const [name, { shape, data }] of sortedTensors(tensors)) {
    yield tensorHeading(name, shape);
    yield new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }
}

/** Names the content by its digest, after {@link checkAdapter}. */
export function createAdapter(content: AdapterContent): Adapter {
  const adapter = { ...content, digest: adapterDigest(content) };
  checkAdapter(adapter);
  return adapter;
}

/** The adapter as a file. Equal adapters give equal bytes. */
export function encodeAdapter(adapter: Adapter): Uint8Array {
  const { kind, baseModelDigest, settings, digest } = adapter;
  return encodeSafetensors(adapter.tensors, {
    [METADATA_KEY]: canonicalJson({ kind, baseModelDigest, settings, digest }),
    format: 'pt',
  });
}

/**
 * Reads an adapter from anywhere and believes nothing: the size is checked before it is parsed, the digest is measured.
 * @throws ADAPTER_INVALID when bytes, metadata, digest, base model, shapes or values are not as they must be.
 */
export function decodeAdapter(bytes: Uint8Array, intake: AdapterIntake = {}): Adapter {
  const maxBytes = intake.maxBytes ?? DEFAULT_MAX_BYTES;
  if (bytes.byteLength > maxBytes) throw refused(`it has ${bytes.byteLength} bytes, at most ${maxBytes} are accepted`);
  let file: ReturnType<typeof decodeSafetensors>;
  try {
    file = decodeSafetensors(bytes, 'adapter');
  } catch (cause) {
    throw refused(`it is not a safetensors file: ${messageOf(cause)}`, isSeamError(cause) ? cause.details : {}, cause);
  }
  const { kind, baseModelDigest, settings, digest } = parseMetadata(file.metadata[METADATA_KEY]);
  const content: AdapterContent = { kind, baseModelDigest, settings, tensors: file.tensors };
  const measured = adapterDigest(content);
  if (measured !== digest)
    throw refused(`it calls itself ${digest}, its content is ${measured}`, { claimed: digest, measured });
  const adapter = { ...content, digest: measured };
  checkAdapter(adapter, intake);
  return adapter;
}

/** @throws ADAPTER_INVALID naming the first tensor or figure at fault. */
export function checkAdapter(adapter: Adapter, intake: Omit<AdapterIntake, 'maxBytes'> = {}): void {
  if (intake.digest !== undefined && adapter.digest !== intake.digest) {
    throw refused(`expected content ${intake.digest}, its content is ${adapter.digest}`, {
      expected: intake.digest,
      measured: adapter.digest,
    });
  }
  if (intake.baseModelDigest !== undefined && adapter.baseModelDigest !== intake.baseModelDigest) {
    throw refused(
      `it was trained on base model ${adapter.baseModelDigest}, the one in use is ${intake.baseModelDigest}`,
      {
        expected: intake.baseModelDigest,
        got: adapter.baseModelDigest,
      },
    );
  }
  if (adapter.kind !== adapter.settings.kind)
    throw refused(`its kind is ${adapter.kind}, its settings are of kind ${adapter.settings.kind}`);
  if (intake.shapes !== undefined) checkShapes(adapter.tensors, intake.shapes);
  if (intake.shapesFor !== undefined) checkShapes(adapter.tensors, shapesBy(intake.shapesFor, adapter.settings));
  for (const [name, { data, shape }] of adapter.tensors) {
    const index = firstNotFinite(data);
    if (index >= 0)
      throw refused(`tensor ${name} [${shape.join(', ')}] holds ${data[index]} at index ${index}`, {
        tensor: name,
        index,
      });
  }
}

/** A loop: with a function for every value a large adapter would take seconds. @returns -1 where all are finite */
function firstNotFinite(data: Float32Array): number {
  for (let at = 0; at < data.length; at++) if (!Number.isFinite(data[at])) return at;
  return -1;
}

function shapesBy(
  shapesFor: NonNullable<AdapterIntake['shapesFor']>,
  settings: TrainableSettings,
): ReadonlyMap<string, readonly number[]> {
  try {
    return shapesFor(settings);
  } catch (cause) {
    throw refused(`its settings fit no tensors of the model: ${messageOf(cause)}`, {}, cause);
  }
}

function checkShapes(tensors: ReadonlyMap<string, StoredTensor>, shapes: ReadonlyMap<string, readonly number[]>): void {
  for (const [name, shape] of shapes) {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw refused(`tensor ${name} [${shape.join(', ')}] is missing`, { tensor: name });
    if (tensor.shape.length !== shape.length || tensor.shape.some((size, axis) => size !== shape[axis])) {
      throw refused(`tensor ${name} has shape [${tensor.shape.join(', ')}], the model needs [${shape.join(', ')}]`, {
        tensor: name,
      });
    }
  }
  for (const name of tensors.keys()) {
    if (!shapes.has(name)) throw refused(`the model has no tensor ${name}`, { tensor: name });
  }
}

function parseMetadata(text: string | undefined): Omit<Adapter, 'tensors'> {
  if (text === undefined)
    throw refused(`its metadata has no ${METADATA_KEY}: the file is not an adapter of this system`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refused(`its metadata ${METADATA_KEY} is not JSON`, {}, cause);
  }
  const { kind, baseModelDigest, settings, digest } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (settings === undefined || typeof baseModelDigest !== 'string' || typeof digest !== 'string')
    throw refused(`its metadata ${METADATA_KEY} lacks kind, settings, baseModelDigest or digest`);
  const parsed = parseSettings(settings);
  if (kind !== parsed.kind)
    throw refused(`its kind is ${JSON.stringify(kind)}, its settings are of kind ${parsed.kind}`);
  return { kind: parsed.kind, baseModelDigest, digest, settings: parsed };
}

/** Largest rank that is read: what is larger than any published model is wide is no low rank. */
const MAX_RANK = 65_536;

/** The settings as training writes them, and nothing besides: a generator that serves the adapter computes by them. */
function parseSettings(value: unknown): TrainableSettings {
  const settings = (value ?? {}) as Partial<Record<string, unknown>>;
  const fault = settingsFault(settings);
  if (fault !== undefined) throw refused(`its settings are invalid: ${fault}`);
  return value as TrainableSettings;
}

function settingsFault({ kind, ...settings }: Partial<Record<string, unknown>>): string | undefined {
  const { rank, alpha, targetModules, modulesToSave, seed, ...others } = settings;
  const isNames = (names: unknown): boolean =>
    Array.isArray(names) && names.length <= 64 && names.every((name) => typeof name === 'string');
  const [unknown] = Object.keys(kind === 'full' ? settings : others);
  if (unknown !== undefined) return `expected nothing called ${JSON.stringify(unknown)}`;
  if (kind === 'full') return undefined;
  if (kind !== 'lora') return `expected the kind full or lora, got ${JSON.stringify(kind)}`;
  if (!(Number.isInteger(rank) && (rank as number) >= 1 && (rank as number) <= MAX_RANK))
    return `expected a rank of 1 … ${MAX_RANK}, got ${JSON.stringify(rank)}`;
  if (!(typeof alpha === 'number' && Number.isFinite(alpha)))
    return `expected a finite alpha, got ${JSON.stringify(alpha)}`;
  if (!isNames(targetModules)) return 'expected targetModules to be at most 64 names';
  if (!isNames(modulesToSave)) return 'expected modulesToSave to be at most 64 names';
  return typeof seed === 'string' ? undefined : 'expected a seed';
}

function refused(problem: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown): SeamError {
  return new SeamError(
    'ADAPTER_INVALID',
    `Cannot take in an adapter: ${problem}. It is not used; publish a sound one.`,
    {
      details,
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
