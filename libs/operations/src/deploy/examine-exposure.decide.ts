/** What anybody on the way could read, change or exchange: connections in the clear, open doors, images by tag. */
import { isPlaintextElsewhere } from '@seamstream/kernel';
import type { ChartValues } from './chart-values.js';
import { type DeployFinding, error, type Findings, type Said, warning } from './deploy-finding.js';
import { enabled, type Rule, settingsIn } from './rule.js';

/** Settings whose address gets a key, by the value that names its Secret. */
const ASKED_WITH_KEY = [
  ['endpointKeySecret', /^SEAM_(GENERATOR_VLLM|EXECUTOR_ENDPOINT|TRAINER_EXECUTOR_ENDPOINT|GATEWAY_UPSTREAM)_URL$/],
  ['judgeKeySecret', /^SEAM_(TRAINER_)?EXECUTOR_JUDGE_URL$/],
] as const;
const DIGEST = /@sha256:[0-9a-f]{64}$/;
/** Arguments that the chart gives its model server, or that hold a key. */
const TAKEN_ARGUMENTS = [
  ...['api-key', 'port', 'served-model-name', 'dtype', 'enable-lora', 'no-enable-lora'],
  ...['max-loras', 'max-lora-rank', 'logprobs-mode'],
];

export const EXPOSURE: readonly Rule[] = [
  function images(values: ChartValues): Findings {
    const { generator, worker } = values.services;
    const named = [
      ['services.generator.modelServer.image', generator.enabled ? generator.modelServer : undefined],
      ['services.worker.trainingJobs.image', worker.enabled ? worker.trainingJobs : undefined],
    ] as const;
    return [
      ...(values.image.digest === '' ? [unpinned('image.digest', 'Set the digest that npm run image printed.')] : []),
      ...named
        .filter(([, part]) => part?.enabled === true && part.image !== '' && !DIGEST.test(part.image))
        .map(([value]) => unpinned(value, 'Name the image by its digest: name@sha256:….')),
    ];
  },

  function kafka({ kafka: { tls } }: ChartValues): Findings {
    if (tls.enabled) return [];
    const remedy = 'Set it to true, and tls.authoritySecret where an own authority signed the brokers’ certificates.';
    return [
      warning('kafka-in-the-clear', ['kafka.tls.enabled', 'Records and passwords go to Kafka unencrypted.', remedy]),
    ];
  },

  function objects({ objectStore, settings }: ChartValues): Findings {
    if (!objectStore.endpoint.startsWith('http://')) return [];
    if (String(settings.SEAM_OBJECT_STORE_S3_ALLOW_PLAINTEXT) === 'true') {
      const said: Said = [
        'objectStore.endpoint',
        'Adapters and checkpoints go to the object store unencrypted.',
        'Give an https address, and take SEAM_OBJECT_STORE_S3_ALLOW_PLAINTEXT away.',
      ];
      return [warning('objects-in-the-clear', said)];
    }
    return [
      error('plaintext-refused', [
        'objectStore.endpoint',
        'The services refuse an object store without encryption.',
        'Give an https address, or set SEAM_OBJECT_STORE_S3_ALLOW_PLAINTEXT where the network is yours.',
      ]),
    ];
  },

  function keys(values: ChartValues): Findings {
    const isAsked = (path: string, setting: string): boolean =>
      enabled(values).some(
        ([name, service]) =>
          path.startsWith(`services.${name}.`) &&
          ASKED_WITH_KEY.some(([secret, asked]) => asked.test(setting) && (service[secret]?.name ?? '') !== ''),
      );
    return settingsIn(values)
      .filter(([path, setting, value]) => isAsked(path, setting) && isPlaintextElsewhere(value))
      .map(([path]) =>
        warning('key-in-the-clear', [
          path,
          'The key of the model server is sent to it unencrypted.',
          'Give an https address.',
        ]),
      );
  },

  function entrance({ services: { gateway } }: ChartValues): Findings {
    if (!gateway.enabled || gateway.ingress?.enabled !== true || gateway.ingress.tlsSecret !== '') return [];
    const said: Said = [
      'services.gateway.ingress.tlsSecret',
      'Clients send their keys and questions to the Ingress unencrypted.',
      'Name a Secret of type kubernetes.io/tls.',
    ];
    return [warning('entrance-in-the-clear', said)];
  },

  function doors({ networkPolicy }: ChartValues): Findings {
    if (networkPolicy.enabled) return [];
    const said: Said = [
      'networkPolicy.enabled',
      'Every pod of the cluster reaches the health and metrics of these, and they reach every address.',
      'Set it to true, in a cluster whose network enforces policies.',
    ];
    return [warning('doors-open', said)];
  },

  function modelServerArguments({ services: { generator } }: ChartValues): Findings {
    const { enabled: isOn, extraArguments = [] } = generator.modelServer ?? { enabled: false };
    const taken = extraArguments.flatMap(takenArguments);
    if (!generator.enabled || !isOn || taken.length === 0) return [];
    const said: Said = [
      'services.generator.modelServer.extraArguments',
      `They hold ${taken.map((each) => `--${each}`).join(', ')}, which the chart gives: a key out of endpointKeySecret, the rest from values.`,
      'Take them away. docs/reference/chart-values.md lists the values.',
    ];
    return [error('argument-given', said)];
  },
];

/** The server reads `_` as `-`, and the beginning of a name for the name. */
function takenArguments(given: string): readonly string[] {
  const name = /^--([^=\s]+)/.exec(given)?.[1]?.replaceAll('_', '-');
  return name === undefined ? [] : TAKEN_ARGUMENTS.filter((taken) => taken.startsWith(name)).slice(0, 1);
}

function unpinned(value: string, remedy: string): DeployFinding {
  return warning('image-without-digest', [value, 'The image is named by a tag, which may be moved.', remedy]);
}
