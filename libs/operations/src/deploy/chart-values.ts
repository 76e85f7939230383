/** Values of the chart as Helm puts them together: the chart's own, then each file on top. */
import { readFile } from 'node:fs/promises';
import { messageOf, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { parseAsHelm } from './helm-yaml.js';

const DEFAULTS = new URL('../../../../infra/helm/seamstream/values.yaml', import.meta.url);
const SCHEMA = new URL('../../../../infra/helm/seamstream/values.schema.json', import.meta.url);

/** Settings of the services by name. */
type Settings = Readonly<Record<string, string | number | boolean>>;

export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

export interface SecretSetting {
  readonly setting: string;
  readonly secret: string;
  readonly key: string;
}

export interface ServiceValues {
  readonly enabled: boolean;
  readonly replicas: number;
  readonly settings: Settings;
  readonly sasl: { readonly passwordSecret: SecretKey };
  readonly signingKeySecret: SecretKey;
  readonly endpointKeySecret?: SecretKey;
  readonly judgeKeySecret?: SecretKey;
  readonly loginSecret?: SecretKey;
  readonly secretSettings: readonly SecretSetting[];
  readonly autoscaling?: {
    readonly enabled: boolean;
    readonly min: number;
    readonly max: number;
    readonly lagAgeSeconds?: number;
    readonly jobs?: boolean;
  };
  readonly modelServer?: {
    readonly enabled: boolean;
    readonly image: string;
    readonly precision: string;
    readonly extraArguments: readonly string[];
    readonly resources: { readonly limits?: Readonly<Record<string, string | number>> };
  };
  readonly trainingJobs?: {
    readonly enabled: boolean;
    readonly image: string;
    readonly claim: string;
    readonly processes: number;
    readonly apiPorts: readonly number[];
    readonly resources: { readonly limits?: Readonly<Record<string, string | number>> };
  };
  readonly decidesReleases?: boolean;
  readonly ingress?: {
    readonly enabled: boolean;
    readonly host: string;
    readonly tlsSecret: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly path?: string;
  readonly clients?: readonly unknown[];
  readonly httpRoute?: { readonly enabled: boolean; readonly parentRefs: readonly unknown[] };
  readonly minAvailable: number;
  readonly terminationGraceSeconds: number;
}

export const SERVICE_NAMES = ['generator', 'executor', 'buffer', 'planner', 'worker', 'gateway'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** The values that the check looks at. values.schema.json says what each may be. */
export interface ChartValues {
  readonly image: {
    readonly repository: string;
    readonly tag: string;
    readonly digest: string;
    readonly pullSecrets: readonly string[];
  };
  readonly kafka: {
    readonly brokers: readonly string[];
    readonly prefix: string;
    readonly sasl: { readonly mechanism: string };
    readonly tls: { readonly enabled: boolean; readonly authoritySecret: SecretKey };
    readonly operatorPasswordSecret: SecretKey;
  };
  readonly objectStore: {
    readonly bucket: string;
    readonly prefix: string;
    readonly endpoint: string;
    readonly region: string;
    readonly pathStyle: boolean;
    readonly credentialsSecret: string;
  };
  readonly settings: Settings;
  readonly trustedKeysConfigMap: string;
  readonly files: { readonly configMap: string };
  readonly models: { readonly claim: string; readonly fetch: readonly string[] };
  readonly adapters: { readonly claim: string };
  readonly http: { readonly tlsSecret: string; readonly serverName: string };
  readonly tracing: { readonly url: string; readonly sampleRatio: number; readonly headersSecret: SecretKey };
  readonly services: Readonly<Record<ServiceName, ServiceValues>>;
  readonly hooks: {
    readonly topics: boolean;
    readonly bucket: boolean;
    readonly schemas: boolean;
    readonly ledger: boolean;
    readonly secretSettings: readonly SecretSetting[];
  };
  readonly monitoring: { readonly serviceMonitor: boolean; readonly prometheusUrl: string };
  readonly externalSecrets: { readonly names: readonly string[] };
  readonly serviceAccount: { readonly annotations: Readonly<Record<string, string>> };
  readonly networkPolicy: { readonly enabled: boolean; readonly extraPorts: readonly number[] };
  readonly strimzi: { readonly enabled: boolean; readonly replicas: number };
}

interface FileDoor {
  readInput(path: string): Promise<Uint8Array>;
}

/** What the chart refuses, by the path of the value. */
interface RefusedValue {
  readonly path: string;
  readonly message: string;
}

export type ReadValues =
  | { readonly values: ChartValues; readonly refused: readonly [] }
  | { readonly values: undefined; readonly refused: readonly RefusedValue[] };

/**
 * The chart's values with these files on top, or what the chart refuses about them.
 * @throws INVALID_INPUT for a file that is no YAML mapping
 */
export async function readValues(world: FileDoor, paths: readonly string[]): Promise<ReadValues> {
  chart ??= readChart();
  const { defaults, schema, form } = await chart;
  let given: unknown = {};
  for (const path of paths) given = onTop(given, mappingOf(path, await world.readInput(path)));
  const merged = onDefaults(defaults, given);
  const issues = form.safeParse(merged).error?.issues ?? [];
  const refused = [
    ...issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    ...absentIn(schema, merged).map((path) => ({ path, message: 'expected a value, got null, which takes it away' })),
  ];
  return refused.length === 0 ? { values: merged as ChartValues, refused: [] } : { values: undefined, refused };
}

interface Chart {
  readonly defaults: unknown;
  readonly schema: z.core.JSONSchema.BaseSchema;
  readonly form: z.ZodType;
}

/** Read once: a tenth of a second of reading and parsing, each time the same. */
let chart: Promise<Chart> | undefined;

async function readChart(): Promise<Chart> {
  const schema = JSON.parse(await readFile(SCHEMA, 'utf8')) as z.core.JSONSchema.BaseSchema;
  return { defaults: parseAsHelm(await readFile(DEFAULTS, 'utf8')), schema, form: z.fromJSONSchema(schema) };
}

function mappingOf(path: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseAsHelm(Buffer.from(bytes).toString()) ?? {};
  } catch (cause) {
    throw new SeamError('INVALID_INPUT', `Cannot read ${path}: expected YAML, got: ${messageOf(cause)}. Correct it.`, {
      cause,
    });
  }
  if (isRecord(value)) return value;
  throw new SeamError('INVALID_INPUT', `Cannot read ${path}: expected a mapping of values, got ${typeof value}.`);
}

/** Paths of values that every deployment has and this one has not. */
function absentIn(schema: z.core.JSONSchema.BaseSchema, value: unknown, path = ''): readonly string[] {
  if (!isRecord(value)) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    Object.hasOwn(value, name)
      ? absentIn(each as z.core.JSONSchema.BaseSchema, value[name], `${path}${name}.`)
      : [`${path}${name}`],
  );
}

/** A file on top of another, as Helm does: mappings are merged, everything else is replaced. */
function onTop(below: unknown, above: unknown): unknown {
  if (!isRecord(below) || !isRecord(above)) return above;
  const names = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(above, name) ? onTop(below[name], above[name]) : below[name]]),
  );
}

/** Files on top of the chart's own values, where null takes a value away. A value that the chart does not have stays null. */
function onDefaults(below: unknown, above: unknown): unknown {
  if (!isRecord(below) || !isRecord(above)) return above;
  const names = [...new Set([...Object.keys(below), ...Object.keys(above)])].filter(
    (name) => above[name] !== null || !Object.hasOwn(below, name),
  );
  return Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(above, name) ? onDefaults(below[name], above[name]) : below[name]]),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
