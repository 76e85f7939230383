/** What the services' own readers of settings say of the environment that values make. */
import type { ChartValues, ServiceName } from './chart-values.js';
import { type DeployFinding, error } from './deploy-finding.js';
import { enabled } from './rule.js';
import { type ServiceFacts, serviceEnvironment } from './service-environment.js';

/** Reads settings as a program would, and says what it refuses, each as "SEAM_NAME: what is wrong". */
export type SettingsReader = (
  program: string,
  environment: Readonly<Record<string, string>>,
) => Promise<readonly string[]>;

/** A finding for each setting that a service refuses, with the path of its value. */
export async function refusedSettings(
  values: ChartValues,
  facts: ServiceFacts,
  read: SettingsReader,
): Promise<readonly DeployFinding[]> {
  const refusedBy = new Map<string, { readonly path: string; readonly fault: string; readonly services: string[] }>();
  for (const [name] of enabled(values)) {
    const environment = serviceEnvironment(values, name, facts[name]);
    for (const fault of await read(facts[name].program, environment)) {
      const isHidden = values.services[name].secretSettings.some(({ setting }) => fault.startsWith(`${setting}:`));
      // A secret is not known here, and what replaces it has no form: only its name is checked.
      if (isHidden && !fault.includes(': no such setting')) continue;
      const path = pathOf(values, name, fault.slice(0, fault.indexOf(':')), environment);
      const same = refusedBy.get(`${path} ${fault}`);
      if (same === undefined) refusedBy.set(`${path} ${fault}`, { path, fault, services: [name] });
      else same.services.push(name);
    }
  }
  return [...refusedBy.values()].map(({ path, fault, services }) =>
    error('setting-refused', [
      path,
      `Refused by ${services.join(', ')}, which ${services.length === 1 ? 'does' : 'do'} not start: ${fault}.`,
      'docs/reference/settings.md lists every setting and what it may be.',
    ]),
  );
}

/** Where the user would correct it. */
function pathOf(
  values: ChartValues,
  name: ServiceName,
  setting: string,
  environment: Readonly<Record<string, string>>,
): string {
  const isOwn = Object.hasOwn(values.services[name].settings, setting);
  if (!isOwn && Object.hasOwn(values.settings, setting)) return `settings.${setting}`;
  // What the chart gives follows from another value, in all services alike.
  return isOwn || !Object.hasOwn(environment, setting) ? `services.${name}.settings.${setting}` : 'services.*';
}
