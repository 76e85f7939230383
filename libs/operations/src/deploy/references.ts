/** What the values name and the chart does not make: Secrets, ConfigMaps and volumes of the namespace. */
import { type ChartValues, SERVICE_NAMES, type SecretKey, type SecretSetting } from './chart-values.js';
import { settingsIn } from './rule.js';

export const REFERENCE_KINDS = ['Secret', 'ConfigMap', 'PersistentVolumeClaim'] as const;
type ReferenceKind = (typeof REFERENCE_KINDS)[number];

interface Reference {
  /** The value that names it. */
  readonly value: string;
  readonly kind: ReferenceKind;
  readonly name: string;
  /** What it has to hold. */
  readonly keys: readonly string[];
}

/**
 * Every object that the values refer to, once for each value, less the Secrets that External Secrets and Strimzi make.
 * @param users of Kafka that the chart makes where Strimzi runs it: each has a Secret of its name
 */
export function referencesOf(values: ChartValues, users: readonly string[]): readonly Reference[] {
  const made = [...values.externalSecrets.names, ...(values.strimzi.enabled ? users : [])];
  const isMade = ({ kind, name }: Reference): boolean => kind === 'Secret' && made.includes(name);
  return namedIn(values).filter((reference) => !isMade(reference));
}

function namedIn(values: ChartValues): readonly Reference[] {
  const { kafka, objectStore, http, tracing, services, hooks } = values;
  const named = (kind: ReferenceKind, value: string, name: string, keys: readonly string[]): readonly Reference[] =>
    name === '' ? [] : [{ value, kind, name, keys }];
  const key = (value: string, { name, key: inside }: SecretKey): readonly Reference[] =>
    named('Secret', value, name, [inside]);
  const settings = (value: string, all: readonly SecretSetting[]): readonly Reference[] =>
    all.flatMap(({ setting, secret, key: inside }) => named('Secret', `${value} (${setting})`, secret, [inside]));
  const hasHooks = hooks.topics || hooks.bucket || hooks.schemas || hooks.ledger;
  return [
    ...values.image.pullSecrets.flatMap((name) => named('Secret', 'image.pullSecrets', name, [])),
    ...(kafka.tls.enabled ? key('kafka.tls.authoritySecret', kafka.tls.authoritySecret) : []),
    ...(hasHooks ? key('kafka.operatorPasswordSecret', kafka.operatorPasswordSecret) : []),
    ...named('Secret', 'objectStore.credentialsSecret', objectStore.credentialsSecret, [
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
    ]),
    ...named('ConfigMap', 'trustedKeysConfigMap', values.trustedKeysConfigMap, ['trusted-keys.json']),
    ...(services.worker.enabled && services.worker.trainingJobs?.enabled === true
      ? named('PersistentVolumeClaim', 'services.worker.trainingJobs.claim', services.worker.trainingJobs.claim, [])
      : []),
    ...named('ConfigMap', 'files.configMap', values.files.configMap, filesOf(values)),
    ...named('PersistentVolumeClaim', 'models.claim', values.models.claim, []),
    ...named('PersistentVolumeClaim', 'adapters.claim', values.adapters.claim, []),
    ...(tracing.url === '' ? [] : key('tracing.headersSecret', tracing.headersSecret)),
    ...named('Secret', 'http.tlsSecret', http.tlsSecret, ['tls.crt', 'tls.key']),
    ...settings('hooks.secretSettings', hooks.secretSettings),
    ...SERVICE_NAMES.filter((name) => services[name].enabled).flatMap((name) => {
      const { sasl, signingKeySecret, endpointKeySecret, judgeKeySecret, loginSecret, secretSettings, ingress } =
        services[name];
      return [
        ...key(`services.${name}.sasl.passwordSecret`, sasl.passwordSecret),
        ...key(`services.${name}.signingKeySecret`, signingKeySecret),
        ...(endpointKeySecret === undefined ? [] : key(`services.${name}.endpointKeySecret`, endpointKeySecret)),
        ...(judgeKeySecret === undefined ? [] : key(`services.${name}.judgeKeySecret`, judgeKeySecret)),
        ...(loginSecret === undefined ? [] : key(`services.${name}.loginSecret`, loginSecret)),
        ...settings(`services.${name}.secretSettings`, secretSettings),
        ...(ingress?.enabled === true
          ? named('Secret', `services.${name}.ingress.tlsSecret`, ingress.tlsSecret, ['tls.crt', 'tls.key'])
          : []),
      ];
    }),
  ];
}

/** Names of the files that settings read in /files, which are the keys of its ConfigMap. */
function filesOf(values: ChartValues): readonly string[] {
  const names = settingsIn(values).map(([, , value]) => /^\/files\/([^/]+)/.exec(value)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}
