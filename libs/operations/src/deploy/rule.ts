/** A rule of a deployment, and what rules ask of its values. */
import { type ChartValues, SERVICE_NAMES, type ServiceName, type ServiceValues } from './chart-values.js';
import type { DeployFinding } from './deploy-finding.js';

/** What the values alone do not say. */
export interface DeployFacts {
  /** Partitions of the topic that a service consumes, by service. */
  readonly partitions: Readonly<Partial<Record<ServiceName, number>>>;
  /** Who each service is to Kafka. */
  readonly principals: Readonly<Record<ServiceName, string>>;
  /** The tag of the image where values name none. */
  readonly appVersion: string;
  /** Who the hooks are. */
  readonly operator: string;
}

export type Rule = (values: ChartValues, facts: DeployFacts) => readonly DeployFinding[];

export const enabled = ({ services }: ChartValues): readonly (readonly [ServiceName, ServiceValues])[] =>
  SERVICE_NAMES.map((name) => [name, services[name]] as const).filter(([, { enabled: isOn }]) => isOn);

export const settingOf = (values: ChartValues, name: ServiceName, setting: string): string | undefined => {
  const value = values.services[name].settings[setting] ?? values.settings[setting];
  return value === undefined ? undefined : String(value);
};

/** Every plain setting of what is deployed, with the path of its value. */
export function settingsIn(values: ChartValues): readonly (readonly [path: string, setting: string, value: string])[] {
  const of = (path: string, settings: ChartValues['settings']) =>
    Object.entries(settings).map(([name, value]) => [`${path}.${name}`, name, String(value)] as const);
  return [
    ...of('settings', values.settings),
    ...enabled(values).flatMap(([service, { settings }]) => of(`services.${service}.settings`, settings)),
  ];
}

/** Names of a graphics processor as a resource of Kubernetes. */
export const PROCESSORS = ['nvidia.com/gpu', 'amd.com/gpu'] as const;

/** How many graphics processors a container has; NaN for what is no number. */
export function processorsIn({ limits = {} }: { readonly limits?: Readonly<Record<string, string | number>> }): number {
  return PROCESSORS.reduce((sum, name) => sum + Number(limits[name] ?? 0), 0);
}
