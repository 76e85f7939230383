/** Whether values of the chart make a deployment that works, and whether a namespace has what they refer to. */
import { readFile } from 'node:fs/promises';
import { TOPIC } from '@seamstream/events';
import { onOneLine, SeamError } from '@seamstream/kernel';
import { DEFAULT_TOPIC_FILE, parseTopicFile } from '../cluster/topic-file.js';
import { readValues, SERVICE_NAMES } from './chart-values.js';
import type { DeployFinding } from './deploy-finding.js';
import { examineValues } from './examine-values.decide.js';
import { REFERENCE_KINDS, referencesOf } from './references.js';
import { refusedSettings, type SettingsReader } from './refused-settings.js';
import type { DeployFacts } from './rule.js';
import { readChartFacts } from './service-environment.js';

const KINDS: readonly string[] = REFERENCE_KINDS;

export interface DeploymentWorld {
  readInput(path: string): Promise<Uint8Array>;
  /** The services' own readers of settings, which a library does not know. */
  readonly readSettings: SettingsReader;
}

export interface DeploymentOptions {
  /** What is tolerable in a trial is an error. */
  readonly production: boolean;
  /** A file with what the namespace holds: kind, name and keys on a line each. Undefined: that is not checked. */
  readonly objects: string | undefined;
}

export interface DeploymentCheck {
  readonly findings: readonly DeployFinding[];
  /** Objects of the namespace that were looked for; null where its objects are not known. */
  readonly looked: number | null;
}

/**
 * Reads the values as Helm puts them together and says what is missing or contradictory. Changes nothing.
 * @param paths files of values, the later ones on top
 * @throws INVALID_INPUT for a file of values that is no YAML mapping, and for objects in another form
 */
export async function checkDeployment(
  world: DeploymentWorld,
  paths: readonly string[],
  { production, objects }: DeploymentOptions,
): Promise<DeploymentCheck> {
  const { values, refused } = await readValues(world, paths);
  if (values === undefined) {
    const findings = refused.map(
      ({ path, message }): DeployFinding => ({
        code: 'value-refused',
        severity: 'error',
        value: path,
        message: `The chart refuses it: ${message}.`,
        remedy: 'docs/reference/chart-values.md lists every value.',
      }),
    );
    return { findings, looked: null };
  }
  const topics = parseTopicFile('topics.json', await readFile(DEFAULT_TOPIC_FILE));
  const partitionsOf = (topic: string): number => topics.find(({ name }) => name === topic)!.partitions;
  const partitions = { generator: partitionsOf(TOPIC.problems), executor: partitionsOf(TOPIC.experiences) };
  const { services, users, operator, appVersion } = await readChartFacts();
  const principals = Object.fromEntries(
    SERVICE_NAMES.map((name) => [name, services[name].principal]),
  ) as DeployFacts['principals'];
  const found = [
    ...(await refusedSettings(values, services, world.readSettings)),
    ...examineValues(values, { partitions, principals, operator, appVersion }),
  ];
  const inValues = production ? found.map((each) => ({ ...each, severity: 'error' as const })) : found;
  if (objects === undefined) return { findings: inValues, looked: null };
  const references = referencesOf(values, Object.keys(users));
  const held = objectsOf(await world.readInput(objects));
  const missing: DeployFinding[] = [];
  for (const { value, kind, name, keys } of references) {
    const found = held.get(`${kind} ${name}`);
    const absent = found === undefined ? [] : keys.filter((key) => !found.includes(key));
    if (found !== undefined && absent.length === 0) continue;
    missing.push({
      code: found === undefined ? 'object-missing' : 'key-missing',
      severity: 'error',
      value,
      message:
        found === undefined
          ? `The namespace has no ${kind} ${name}.`
          : `The ${kind} ${name} has no ${absent.join(', ')}; it has ${found.join(', ') || 'nothing'}.`,
      remedy: 'Make it, or correct the value.',
    });
  }
  return { findings: [...missing, ...inValues], looked: references.length };
}

/** Keys by kind and name. @throws INVALID_INPUT for what is no list of objects */
function objectsOf(bytes: Uint8Array): ReadonlyMap<string, readonly string[]> {
  const objects = new Map<string, readonly string[]>();
  for (const [index, line] of Buffer.from(bytes).toString().split('\n').entries()) {
    const [kind = '', name, ...keys] = line.trim().split(/\s+/);
    if (kind === '') continue;
    if (!KINDS.includes(kind) || name === undefined)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot read line ${index + 1} of --objects: expected ${KINDS.join(', ')}, a name and keys, got "${onOneLine(line).slice(0, 80)}". docs/how-to/kubernetes.md has the command that prints them.`,
      );
    objects.set(`${kind} ${name}`, keys);
  }
  return objects;
}
