/** What is missing or contradictory in the values of a deployment. Each rule is a function of the values alone. */
import { DEFAULT_LIMITS } from '@seamstream/openai-endpoint';
import type { ChartValues, ServiceName } from './chart-values.js';
import { type DeployFinding, error, type Said, warning } from './deploy-finding.js';
import { ADDRESSES } from './examine-addresses.decide.js';
import { EXPOSURE } from './examine-exposure.decide.js';
import { GATEWAY } from './examine-gateway.decide.js';
import { KAFKA } from './examine-kafka.decide.js';
import { MODEL_SERVER } from './examine-model-server.decide.js';
import { MODELS } from './examine-models.decide.js';
import { REFUSALS } from './examine-refusals.decide.js';
import { TRAINING } from './examine-training.decide.js';
import { type DeployFacts, enabled, type Rule, settingOf, settingsIn } from './rule.js';
import { HAND_BACK_SECONDS } from './service-environment.js';

/** Services that sign what they write, where keys are believed. */
const SIGNERS: readonly ServiceName[] = ['buffer', 'planner', 'worker'];
const RULES: readonly Rule[] = [
  function identities(values) {
    const services = enabled(values);
    const without = services.filter(([, { sasl }]) => sasl.passwordSecret.name === '').map(([name]) => name);
    if (without.length === services.length) {
      const said: Said = [
        'services.*.sasl.passwordSecret',
        'No service says who it is to Kafka, so every client has the same rights.',
        'Name a Secret with the password of each principal of infra/kafka/acls.json.',
      ];
      return services.length === 0 ? [] : [warning('no-identity', said)];
    }
    const { kafka, hooks, strimzi } = values;
    const asksKafka = (hooks.topics && !strimzi.enabled) || hooks.schemas || hooks.ledger;
    const isHookAnonymous = asksKafka && kafka.operatorPasswordSecret.name === '';
    return [
      ...without.map((name) => `services.${name}.sasl.passwordSecret`),
      ...(isHookAnonymous ? ['kafka.operatorPasswordSecret'] : []),
    ].map((value) =>
      error('some-without-password', [
        value,
        'Others have a password for Kafka, and this has none: a cluster that asks for one refuses it.',
        'Name the Secret with its password.',
      ]),
    );
  },

  function signatures(values) {
    const allowed = enabled(values).filter(
      ([name]) => settingOf(values, name, 'SEAM_SIGNATURES_UNSIGNED') === 'allowed',
    );
    if (allowed.length > 0) {
      const said: Said = [
        'settings.SEAM_SIGNATURES_UNSIGNED',
        `Unsigned adapters are believed by ${allowed.map(([name]) => name).join(', ')}.`,
        'Take the setting away, and give keys (docs/how-to/signatures.md).',
      ];
      return [warning('unsigned-adapters', said)];
    }
    if (values.trustedKeysConfigMap === '') {
      const said: Said = [
        'trustedKeysConfigMap',
        'Unsigned facts are refused, and no key is believed: no adapter is ever served.',
        'Name a ConfigMap with trusted-keys.json (docs/how-to/signatures.md).',
      ];
      return enabled(values).length === 0 ? [] : [error('no-trusted-keys', said)];
    }
    return enabled(values)
      .filter(([name, { signingKeySecret }]) => SIGNERS.includes(name) && signingKeySecret.name === '')
      .map(([name]) =>
        error('service-without-key', [
          `services.${name}.signingKeySecret`,
          'The service does not sign what it writes, and unsigned facts are refused.',
          'Name a Secret with its key.',
        ]),
      );
  },

  function sizes(values, { partitions }) {
    return enabled(values).flatMap(([name, { replicas, autoscaling, minAvailable }]) => {
      const isScaled = autoscaling?.enabled === true;
      const most = isScaled ? autoscaling.max : replicas;
      const least = isScaled ? autoscaling.min : replicas;
      const value = `services.${name}.${isScaled ? 'autoscaling.max' : 'replicas'}`;
      const shared = partitions[name];
      const shards = name === 'buffer' ? Number(settingOf(values, name, 'SEAM_BUFFER_SHARDS') ?? 1) : undefined;
      return [
        ...(shards !== undefined && isScaled && most > shards
          ? [
              warning('more-pods-than-shards', [
                value,
                `${most} pods share ${shards} shards, so that ${most - shards} have nothing to do.`,
                `Set it to at most ${shards}.`,
              ]),
            ]
          : []),
        ...(shared !== undefined && most > shared
          ? [
              warning('more-pods-than-partitions', [
                value,
                `${most} pods share ${shared} partitions, so that ${most - shared} have nothing to do.`,
                `Set it to at most ${shared}.`,
              ]),
            ]
          : []),
        ...(isScaled && least > most
          ? [
              error('fewest-above-most', [
                value,
                `At least ${least} pods and at most ${most}.`,
                'Set min to max or less.',
              ]),
            ]
          : []),
        ...(!isScaled && replicas === 0
          ? [warning('no-pods', [value, 'The service is deployed without a pod.', 'Set it to 1 or more.'])]
          : []),
        ...(minAvailable > 0 && minAvailable >= least
          ? [
              error('disruptions-forbidden', [
                `services.${name}.minAvailable`,
                `${minAvailable} of ${least} pods have to stay, so that no node can be drained.`,
                'Set it to fewer than there are pods.',
              ]),
            ]
          : []),
      ];
    });
  },

  function figures(values) {
    if (values.monitoring.prometheusUrl !== '') return [];
    const scaled = enabled(values).filter(([, { autoscaling }]) => autoscaling?.enabled === true);
    return scaled.flatMap(([name, { autoscaling }]) => {
      const by = name === 'worker' ? 'planned runs' : (autoscaling?.lagAgeSeconds ?? 0) > 0 ? 'the age of its lag' : '';
      if (by === '') return [];
      const said: Said = [
        'monitoring.prometheusUrl',
        `The ${name} is scaled by ${by}, and no source of that figure is named: the chart refuses it.`,
        `Give the address of the Prometheus that reads the pods, or do not scale the ${name} so.`,
      ];
      return [error('no-figures-to-scale-by', said)];
    });
  },

  function certificate({ http, monitoring }) {
    if (!monitoring.serviceMonitor || http.tlsSecret === '' || http.serverName !== '') return [];
    const said: Said = [
      'http.serverName',
      'Prometheus asks pods by their addresses, for which the certificate is not valid: the chart refuses it.',
      'Give a name that the certificate of http.tlsSecret is for.',
    ];
    return [error('no-name-to-verify', said)];
  },

  function modelServer(values) {
    const { enabled: isOn, modelServer: own } = values.services.generator;
    if (!isOn) return [];
    const folder = settingOf(values, 'generator', 'SEAM_GENERATOR_MODEL_FOLDER');
    if (own?.enabled === true)
      return [
        ...(own.image === ''
          ? [
              error('model-server-without-image', [
                'services.generator.modelServer.image',
                'The generator’s model server has no image.',
                'Name an image of vLLM.',
              ]),
            ]
          : []),
        ...(folder === undefined
          ? [
              error('model-server-without-model', [
                'services.generator.settings.SEAM_GENERATOR_MODEL_FOLDER',
                'The generator’s model server has no model.',
                'Name the folder of a model below /models.',
              ]),
            ]
          : []),
      ];
    if (settingOf(values, 'generator', 'SEAM_GENERATOR_DRIVER') !== 'vllm') return [];
    const said: Said = [
      'services.generator.modelServer.enabled',
      'All generators load adapters into the one server that SEAM_GENERATOR_VLLM_URL names, and a load balancer passes an adapter to one of its servers only.',
      'Set it to true, so that each pod has its own server. A server outside needs --max-loras 2 or more and no replicas.',
    ];
    return [warning('shared-model-server', said)];
  },

  function graces(values) {
    const questions = [
      ['generator', 'SEAM_GENERATOR_DRIVER', 'vllm', 'SEAM_GENERATOR_VLLM_REQUEST_TIMEOUT_MS'],
      ['executor', 'SEAM_EXECUTOR_DRIVER', 'endpoint', 'SEAM_EXECUTOR_ENDPOINT_REQUEST_TIMEOUT_MS'],
    ] as const;
    return questions.flatMap(([name, driver, remote, timeout]) => {
      const service = values.services[name];
      const isRemote = service.modelServer?.enabled === true || settingOf(values, name, driver) === remote;
      if (!service.enabled || !isRemote) return [];
      const timeoutMs = Number(settingOf(values, name, timeout) ?? DEFAULT_LIMITS.requestTimeoutMs);
      const needed = Math.ceil(timeoutMs / 1000) + HAND_BACK_SECONDS;
      const { terminationGraceSeconds } = service;
      if (terminationGraceSeconds >= needed) return [];
      const said: Said = [
        `services.${name}.terminationGraceSeconds`,
        `A batch waits up to ${timeoutMs / 1000} s for the model server, and is killed after ${terminationGraceSeconds - HAND_BACK_SECONDS} s.`,
        `Set it to ${needed} or more, or ${timeout} to less.`,
      ];
      return [error('grace-shorter-than-a-batch', said)];
    });
  },

  function folders(values) {
    const { models, adapters, files, services } = values;
    const settings = settingsIn(values);
    const namesIn = (folder: string): readonly string[] => [
      ...new Set(settings.filter(([, , each]) => `${each}/`.startsWith(`${folder}/`)).map(([, setting]) => setting)),
    ];
    const places = [
      ['/models', models.claim !== '' || models.fetch.length > 0, 'models.claim'],
      ['/adapters', adapters.claim !== '' || services.generator.modelServer?.enabled === true, 'adapters.claim'],
      ['/files', files.configMap !== '', 'files.configMap'],
    ] as const;
    const unmounted = places.flatMap(([folder, isMounted, value]) => {
      const wanting = namesIn(folder);
      if (isMounted || wanting.length === 0) return [];
      const message = `${wanting.join(', ')} name ${folder}, and nothing is mounted there.`;
      return [error('folder-without-volume', [value, message, 'Name what holds the files.'])];
    });
    if (models.fetch.length === 0 || models.claim !== '') return unmounted;
    const named = settings.flatMap(([, setting, value]) => {
      const digest = /^\/models\/([^/]+)/.exec(value)?.[1];
      return digest === undefined || models.fetch.includes(digest) ? [] : [`${setting} (${digest.slice(0, 12)})`];
    });
    if (named.length === 0) return unmounted;
    const message = `${[...new Set(named)].join(', ')} name a model that no pod fetches.`;
    return [
      ...unmounted,
      error('model-not-fetched', ['models.fetch', message, 'Add the digest that seam models push printed.']),
    ];
  },

  function executorModel(values) {
    if (!values.services.executor.enabled) return [];
    const isRemote = settingOf(values, 'executor', 'SEAM_EXECUTOR_DRIVER') === 'endpoint';
    const isOwn = settingOf(values, 'executor', 'SEAM_EXECUTOR_MODEL_FOLDER') !== undefined;
    const setting = isRemote ? 'SEAM_EXECUTOR_ENDPOINT_REVISION' : 'SEAM_EXECUTOR_EXPECTED_DIGEST';
    if (!(isRemote || isOwn) || settingOf(values, 'executor', setting) !== undefined) return [];
    const said: Said = [
      `services.executor.settings.${setting}`,
      'The executor takes whichever model it finds, and outcomes of two models are not comparable.',
      'Say which model is expected.',
    ];
    return [warning('model-without-digest', said)];
  },

  function objects({ objectStore, serviceAccount, hooks }) {
    const hasIdentity = objectStore.credentialsSecret !== '' || Object.keys(serviceAccount.annotations).length > 0;
    return [
      ...(hasIdentity
        ? []
        : [
            warning('no-credentials', [
              'objectStore.credentialsSecret',
              'Pods have neither keys of S3 nor annotations of a workload identity.',
              'Name a Secret with the keys, or set serviceAccount.annotations.',
            ]),
          ]),
      ...(hooks.bucket && objectStore.credentialsSecret === ''
        ? [
            error('hook-without-credentials', [
              'hooks.bucket',
              'The hook that makes the bucket runs before the ServiceAccount exists, and has no keys.',
              'Name objectStore.credentialsSecret, or make the bucket yourself and set hooks.bucket to false.',
            ]),
          ]
        : []),
    ];
  },
];

/** All that is wrong with valid values, errors first. */
export function examineValues(values: ChartValues, facts: DeployFacts): readonly DeployFinding[] {
  const found = [
    ...EXPOSURE,
    ...RULES,
    ...ADDRESSES,
    ...KAFKA,
    ...MODELS,
    ...MODEL_SERVER,
    ...TRAINING,
    ...GATEWAY,
    ...REFUSALS,
  ].flatMap((rule) => rule(values, facts));
  return [
    ...found.filter(({ severity }) => severity === 'error'),
    ...found.filter(({ severity }) => severity === 'warning'),
  ];
}
