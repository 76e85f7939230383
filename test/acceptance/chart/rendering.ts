/** Renders the chart with helm, and reads the result as Kubernetes and the services do. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CheckedManifests, type KubernetesTools, kubernetesTools, type Manifest } from '@seamstream/dev-servers';
import { isSeamError, messageOf } from '@seamstream/kernel';
import { checkDeployment } from '@seamstream/operations/deploy';
import { loadConfig, settingsOf } from '@seamstream/service-kit';
import { type Container, isService, podsOf } from './policy.js';
import { SCHEMAS, type Values } from './values.js';

export const CHART = fileURLToPath(new URL('../../../infra/helm/seamstream', import.meta.url));
const fileOf = (name: string): string => join(CHART, 'profiles', `${name}.yaml`);
/** Files of each profile, the later ones on top. */
export const PROFILES = {
  defaults: [],
  kind: ['kind'],
  production: ['production'],
  gpu: ['production', 'gpu'],
  externalSecrets: ['production', 'external-secrets'],
  gateway: ['production', 'gateway'],
};
/** Every setting that a service knows, with whether it is secret. */
export const SETTINGS = new Map(
  Object.values(SCHEMAS).flatMap((schema) => settingsOf(schema).map(({ name, isSecret }) => [name, isSecret])),
);

type Environment = Readonly<Record<string, string>>;

export interface Chart {
  readonly tools: KubernetesTools;
  /** What helm makes of a profile and of values (or a file's text) on top; no text and what helm said where it refuses. */
  readonly render: (
    profile: readonly string[],
    values?: Values | string,
  ) => Promise<{ readonly text: string; readonly said: string }>;
  readonly lint: (profile: readonly string[]) => Promise<number | null>;
  /** Rendered without a complaint, and checked against the schemas. */
  readonly checked: (profile: readonly string[], values?: Values | string) => Promise<CheckedManifests>;
  readonly close: () => Promise<void>;
}

/** The tools, at work; undefined, said aloud, where they cannot be had. */
export async function openChart(): Promise<Chart | undefined> {
  const tools = await kubernetesTools().catch((error: unknown) => {
    if (!isSeamError(error, 'INVALID_CONFIGURATION')) throw error;
    process.stderr.write(`SKIPPED: the chart is not checked. ${messageOf(error)}\n`);
    return undefined;
  });
  if (tools === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'seam-chart-'));
  const filesOf = (names: readonly string[]): readonly string[] => names.flatMap((name) => ['--values', fileOf(name)]);
  const render: Chart['render'] = async (profile, values = {}) => {
    const file = join(await mkdtemp(join(folder, 'values-')), 'values.json');
    await writeFile(file, textOf(values));
    const args = ['template', 'demo', CHART, '--namespace', 'seam', ...filesOf(profile), '--values', file];
    const { status, stdout, stderr } = await tools.helm(args);
    return { text: status === 0 ? stdout : '', said: stderr };
  };
  return {
    tools,
    render,
    lint: async (profile) => (await tools.helm(['lint', CHART, ...filesOf(profile)])).status,
    checked: async (profile, values) => {
      const { text, said } = await render(profile, values);
      expect({ said, isEmpty: text === '' }).toEqual({ said: '', isEmpty: false });
      return (await tools.check([text]))[0]!;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function textOf(values: Values | string): string {
  return typeof values === 'string' ? values : JSON.stringify(values);
}

/** The environment of a container as Kubernetes gives it, with a stand-in for every secret. */
export function environmentOf({ env }: Container): Record<string, string> {
  // Headers are a JSON object.
  const secretOf = (name: string): string =>
    name === 'SEAM_TRACING_HEADERS' ? '{"x-api-key":"a-secret"}' : 'a-secret-of-some-length';
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? secretOf(name)]));
}

/** Each service reads the environment of its pod without a complaint, and is what the chart says. */
export function readByServices(documents: readonly Manifest[]): void {
  for (const { owner, spec } of podsOf(documents)) {
    if (!isService(owner)) continue;
    const [container] = spec.containers;
    const program = container!.args[0] as keyof typeof SCHEMAS;
    const config = loadConfig(SCHEMAS[program], environmentOf(container!));
    expect(config).toMatchObject({
      eventLog: { driver: 'kafka' },
      objectStore: { driver: 's3' },
      http: { port: 8080 },
    });
    // A Job ends with its run, and a pod of a Deployment would be started again for ever.
    if (program === 'trainer')
      expect(config).toMatchObject({ trainer: { takes: owner.kind === 'ScaledJob' ? 'one-run' : 'runs' } });
  }
}

/** The check of a deployment hands each service the environment that its pod has. */
export async function handedByCheck(
  profile: readonly string[],
  values: Values | string,
  documents: readonly Manifest[],
): Promise<void> {
  const handed: Environment[] = [];
  const world = {
    readInput: (path: string) =>
      path === 'values.json' ? Promise.resolve(Buffer.from(textOf(values))) : readFile(path),
    readSettings: (_program: string, environment: Environment) => {
      handed.push(environment);
      return Promise.resolve([]);
    },
  };
  const paths = [...profile.map(fileOf), 'values.json'];
  const { findings } = await checkDeployment(world, paths, { production: false, objects: undefined });
  expect(findings.filter(({ code }) => code === 'value-refused')).toEqual([]);
  const services = podsOf(documents).filter(({ owner }) => isService(owner));
  const inOrder = (all: readonly Environment[]) =>
    all.map((each) => JSON.stringify(Object.entries(each).sort())).sort();
  expect(inOrder(handed)).toEqual(inOrder(services.map(({ spec }) => environmentOf(spec.containers[0]!))));
}

/** The command line reads the environment of each hook without a complaint. */
export function readByHooks(documents: readonly Manifest[]): void {
  for (const { owner, spec } of podsOf(documents)) {
    if (owner.kind !== 'Job') continue;
    const config = loadConfig(SCHEMAS.common, environmentOf(spec.containers[0]!));
    expect(config).toMatchObject({ eventLog: { driver: 'kafka' }, objectStore: { driver: 's3' } });
  }
}
