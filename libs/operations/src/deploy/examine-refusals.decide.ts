/** What the chart's templates refuse and its schema cannot say: two values that exclude each other, a name that nothing uses. */
import type { ChartValues } from './chart-values.js';
import { error, type Findings } from './deploy-finding.js';
import { enabled, type Rule } from './rule.js';

/** Settings that a part of a service gives, so that they are not the user's (templates/_pod.tpl). */
const GIVEN = [
  ['modelServer', /^SEAM_GENERATOR_(DRIVER|VLLM_(URL|MODEL|ADAPTERS_FOLDER|SERVER_ADAPTERS_FOLDER))$/],
  ['trainingJobs', /^SEAM_TRAINER_(ENGINE|TORCH_(LAUNCHER|JOBS_FOLDER|PROCESSES|KUBERNETES_.*))$/],
] as const;

export const REFUSALS: readonly Rule[] = [
  function given(values: ChartValues): Findings {
    return enabled(values).flatMap(([name, service]) =>
      GIVEN.filter(([part]) => service[part]?.enabled === true).flatMap(([part, pattern]) =>
        Object.keys(service.settings)
          .filter((setting) => pattern.test(setting))
          .map((setting) =>
            error('setting-given', [
              `services.${name}.settings.${setting}`,
              `The chart refuses it, since services.${name}.${part} gives it.`,
              `Take it away, or set services.${name}.${part}.enabled to false.`,
            ]),
          ),
      ),
    );
  },

  function externalSecrets(values: ChartValues): Findings {
    const named = new Set(secretsWithKeys(values));
    return values.externalSecrets.names
      .filter((name) => !named.has(name))
      .map((name) =>
        error('secret-without-keys', [
          'externalSecrets.names',
          `No other value names ${name} as a Secret with keys, and the chart refuses to make one without.`,
          'Take it away, or name it where its keys are read.',
        ]),
      );
  },
];

/** Names of Secrets whose keys the chart knows (templates/external-secrets.yaml). */
function secretsWithKeys({ kafka, tracing, objectStore, http, hooks, services }: ChartValues): readonly string[] {
  return [
    ...[kafka.operatorPasswordSecret, kafka.tls.authoritySecret, tracing.headersSecret].map(({ name }) => name),
    ...[objectStore.credentialsSecret, http.tlsSecret],
    ...hooks.secretSettings.map(({ secret }) => secret),
    ...Object.values(services).flatMap((service) => [
      ...[service.sasl.passwordSecret.name, service.signingKeySecret.name, service.endpointKeySecret?.name ?? ''],
      ...[service.judgeKeySecret?.name ?? '', service.loginSecret?.name ?? '', service.ingress?.tlsSecret ?? ''],
      ...service.secretSettings.map(({ secret }) => secret),
    ]),
  ];
}
