/**
 * The only reader of the environment. A service describes its configuration once, as a zod object. The name of a variable
 * follows from the path: `generator.controlShare` is SEAM_GENERATOR_CONTROL_SHARE. All faults are listed at once. A variable
 * that no service reads is a fault.
 */
import { didYouMean, SeamError, withoutUrlSecrets } from '@seamstream/kernel';
import { z } from 'zod';
import { PRESET_VARIABLE, withPreset } from './with-preset.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'SEAM_';

/** Services share one environment file. Each refuses misspelt names in its own section and ignores the sections of the others. */
const SECTIONS_OF_SERVICES = ['GENERATOR', 'EXECUTOR', 'BUFFER', 'TRAINER', 'GATEWAY', 'STANDALONE', 'TEST'];

interface Leaf {
  readonly name: string;
  readonly path: readonly string[];
  readonly schema: z.ZodType;
}

/**
 * Marks a value that is never printed: `secret(z.string())`.
 */
export function secret<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...schema.meta(), secret: true });
}

/** Marks a value that is not secret once it is accepted, but may hold a secret when it is refused: an address with a password. */
export function secretWhenRefused<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...schema.meta(), secretWhenRefused: true });
}

/**
 * Reads, checks and freezes the configuration.
 * @throws INVALID_CONFIGURATION with every variable at fault, what was expected of it and what it held
 */
export function loadConfig<T extends z.ZodObject>(schema: T, given: Environment): z.infer<T> {
  const env = withPreset(given);
  const leaves = leavesOf(schema);
  const byName = new Map(leaves.map((leaf) => [leaf.name, leaf]));
  const input: Record<string, unknown> = {};
  for (const leaf of leaves) {
    const text = env[leaf.name];
    if (text !== undefined) place(input, leaf.path, valueOf(leaf.schema, text));
  }
  const own = new Set(Object.keys(schema.shape).map(upperSnake));
  const faults = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !byName.has(name) && !isOfAnotherService(name, own))
    .map((name) => `${name}: no such setting${didYouMean(name, [...byName.keys()])}`);
  // The runtime would believe any server: brokers, endpoints, registry, S3.
  if (given.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    faults.push(
      'NODE_TLS_REJECT_UNAUTHORIZED: expected that certificates are verified, got 0. Name your own authority in NODE_EXTRA_CA_CERTS',
    );
  const result = schema.safeParse(input);
  if (!result.success) {
    for (const issue of result.error.issues) {
      const name = variableOf(issue.path, leaves);
      const leaf = byName.get(name);
      const got =
        env[name] === undefined
          ? 'nothing'
          : leaf && isMarked(leaf.schema, 'secret', 'secretWhenRefused')
            ? 'another'
            : JSON.stringify(env[name]);
      faults.push(`${name}: ${issue.message}, got ${got}`);
    }
  }
  if (faults.length > 0 || !result.success) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot read the configuration: expected valid settings, got ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}. Correct the environment and start again.\n  ${faults.sort().join('\n  ')}`,
      { details: { faults } },
    );
  }
  return deepFreeze(result.data);
}

/** The resolved configuration as indented JSON, secrets replaced by `***`, addresses without their queries. */
export function printableConfig(schema: z.ZodObject, config: unknown): string {
  const copy = structuredClone(config) as Record<string, unknown>;
  for (const leaf of leavesOf(schema)) {
    if (isMarked(leaf.schema, 'secret') && at(copy, leaf.path) !== undefined) place(copy, leaf.path, '***');
  }
  return JSON.stringify(copy, (_, value: unknown) => (typeof value === 'string' ? withoutUrlSecrets(value) : value), 2);
}

/** Variables with a common source: a file, an option, the environment. */
export interface ConfigLayer {
  readonly source: string;
  readonly environment: Environment;
}

/** A setting as it holds, and where it comes from. */
export interface Setting {
  /** The variable. */
  readonly name: string;
  /** As a configuration file would hold it; `***` for a secret, null where nothing is set. */
  readonly value: unknown;
  /** Of the layer that set it, the preset, or "default". */
  readonly source: string;
}

/**
 * Every setting with its value and its source.
 * @param layers the first that has a variable wins
 * @throws as {@link loadConfig}
 */
export function explainConfig(schema: z.ZodObject, layers: readonly ConfigLayer[]): readonly Setting[] {
  const given = Object.assign({}, ...layers.map(({ environment }) => set(environment)).toReversed()) as Environment;
  const config = loadConfig(schema, given);
  const preset = given[PRESET_VARIABLE];
  const sourceOf = (name: string): string =>
    layers.find(({ environment }) => environment[name] !== undefined)?.source ??
    (preset !== undefined && withPreset({ [PRESET_VARIABLE]: preset })[name] !== undefined
      ? `${PRESET_VARIABLE}=${preset}`
      : 'default');
  const printable = JSON.parse(printableConfig(schema, config)) as unknown;
  return [
    { name: PRESET_VARIABLE, value: preset ?? null, source: sourceOf(PRESET_VARIABLE) },
    ...leavesOf(schema).map(({ name, path }) => ({ name, value: at(printable, path) ?? null, source: sourceOf(name) })),
  ];
}

function set(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
}

/** A setting as the reference describes it. */
export interface SettingForm {
  readonly name: string;
  /** Where a configuration file would hold it. */
  readonly path: readonly string[];
  /** Undefined without one. */
  readonly default: unknown;
  /** What a value may be, as JSON Schema. */
  readonly form: Readonly<Record<string, unknown>>;
  readonly isSecret: boolean;
}

/** Every setting that the schema reads, in its order. */
export function settingsOf(schema: z.ZodObject): readonly SettingForm[] {
  return leavesOf(schema).map(({ name, path, schema: leaf }) => ({
    name,
    path,
    default: leaf.safeParse(undefined).data,
    form: z.toJSONSchema(leaf, { io: 'input', unrepresentable: 'any' }),
    isSecret: isMarked(leaf, 'secret'),
  }));
}

/** Every variable that the schema reads, in its order. */
export function variableNames(schema: z.ZodObject): readonly string[] {
  return leavesOf(schema).map(({ name }) => name);
}

function leavesOf(schema: z.ZodObject): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (object: z.ZodObject, path: readonly string[]): void => {
    for (const [key, inner] of Object.entries(object.shape)) {
      const place = [...path, key];
      const core = unwrapped(inner as z.ZodType).at(-1);
      if (core instanceof z.ZodObject) visit(core, place);
      else leaves.push({ name: PREFIX + place.map(upperSnake).join('_'), path: place, schema: inner as z.ZodType });
    }
  };
  visit(schema, []);
  const names = new Set(leaves.map(({ name }) => name));
  if (names.size < leaves.length)
    throw new SeamError(
      'INTERNAL',
      'Cannot read the configuration: expected a variable name per setting, got one for two. Rename one.',
    );
  return leaves;
}

/** The schema and what it wraps, outermost first: defaults, optionals, pipes. */
function unwrapped(schema: z.ZodType): z.ZodType[] {
  const chain = [schema];
  for (let at: z.ZodType = schema; ; ) {
    if (
      at instanceof z.ZodDefault ||
      at instanceof z.ZodPrefault ||
      at instanceof z.ZodOptional ||
      at instanceof z.ZodNullable
    ) {
      at = at.unwrap() as z.ZodType;
    } else return chain;
    chain.push(at);
  }
}

function isMarked(schema: z.ZodType, ...marks: readonly ('secret' | 'secretWhenRefused')[]): boolean {
  return unwrapped(schema).some((each) => marks.some((mark) => each.meta()?.[mark] === true));
}

/** What the text means for this leaf. Text that does not fit stays text, and the schema says what it expected. */
function valueOf(schema: z.ZodType, text: string): unknown {
  const core = unwrapped(schema).at(-1);
  if (core instanceof z.ZodString || core instanceof z.ZodEnum) return text;
  if (core instanceof z.ZodNumber) return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (core instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function variableOf(path: readonly PropertyKey[], leaves: readonly Leaf[]): string {
  const leaf = leaves.find((each) => each.path.every((part, index) => part === path[index]));
  return leaf?.name ?? PREFIX + path.map((part) => upperSnake(String(part))).join('_');
}

function isOfAnotherService(name: string, own: ReadonlySet<string>): boolean {
  const section = SECTIONS_OF_SERVICES.find((each) => name.startsWith(`${PREFIX}${each}_`));
  return section !== undefined && !own.has(section);
}

function upperSnake(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

function place(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) target[head] = value;
  else place((target[head] ??= {}) as Record<string, unknown>, rest, value);
}

function at(target: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], target);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
