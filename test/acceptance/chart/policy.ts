/** What no schema says and the chart has to keep: the restricted standard, doors, secrets. A function per rule; each returns its faults. */
import type { Manifest } from '@seamstream/dev-servers';

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly Variable[];
  readonly restartPolicy?: string;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
}

export interface Pod {
  readonly owner: Manifest;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly volumes?: readonly Readonly<Record<string, unknown>>[];
  };
}

/** Every kind that the chart may hold. A validator that knows no schema of a kind must not let it pass. */
export const KINDS = [
  'ConfigMap',
  'Deployment',
  'ExternalSecret',
  'HTTPRoute',
  'Ingress',
  'Job',
  'KafkaTopic',
  'KafkaUser',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'PodMonitor',
  'PrometheusRule',
  'Role',
  'RoleBinding',
  'ScaledJob',
  'ScaledObject',
  'Service',
  'ServiceAccount',
  'TriggerAuthentication',
];

interface Template {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: Pod['spec'];
}

/** The pods that Deployments and Jobs make, also Jobs that KEDA or a worker starts. */
export function podsOf(documents: readonly Manifest[]): readonly Pod[] {
  return [...documents, ...documents.flatMap(trainingJobs)].flatMap((owner) => {
    const jobs = owner.spec?.jobTargetRef as { readonly template: Template } | undefined;
    const template = (owner.spec?.template as Template | undefined) ?? jobs?.template;
    if (template?.spec?.containers === undefined) return [];
    return [{ owner, labels: template.metadata?.labels ?? {}, spec: template.spec }];
  });
}

/** The Jobs that a worker submits as the ConfigMap has them. */
export function trainingJobs({ kind, metadata, data }: Manifest): readonly Manifest[] {
  const { 'job.json': job } = (data ?? {}) as Readonly<Record<string, string>>;
  if (kind !== 'ConfigMap' || job === undefined) return [];
  const manifest = JSON.parse(job) as Manifest;
  return [{ ...manifest, metadata: { ...manifest.metadata, name: `${metadata.name}-job` } }];
}

function containersOf({ spec: { initContainers = [], containers } }: Pod): readonly Container[] {
  return [...initContainers, ...containers];
}

const RESTRICTED_VOLUMES = [
  'configMap',
  'emptyDir',
  'persistentVolumeClaim',
  'projected',
  'secret',
  'ephemeral',
  'downwardAPI',
  'csi',
];

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted, and a root that is read-only, and no token. */
export function restricted(pods: readonly Pod[]): readonly string[] {
  return pods.flatMap((pod) => {
    const { owner, spec } = pod;
    const containers = containersOf(pod);
    const context = (spec.securityContext ?? {}) as Record<string, unknown>;
    const rules: Readonly<Record<string, boolean>> = {
      'no token of a service account': spec.automountServiceAccountToken === false,
      'runs as non-root': context.runAsNonRoot === true && context.runAsUser !== 0,
      seccomp: (context.seccompProfile as { type?: string } | undefined)?.type === 'RuntimeDefault',
      'own namespaces': !('hostNetwork' in spec || 'hostPID' in spec || 'hostIPC' in spec),
      volumes: (spec.volumes ?? []).every((volume) =>
        Object.keys(volume).every((key) => key === 'name' || RESTRICTED_VOLUMES.includes(key)),
      ),
      'no capabilities': containers.every(({ securityContext }) => {
        const { drop, add } = (securityContext?.capabilities ?? {}) as { drop?: string[]; add?: string[] };
        return drop?.includes('ALL') === true && add === undefined;
      }),
      'no escalation': containers.every(
        ({ securityContext }) =>
          securityContext?.allowPrivilegeEscalation === false && securityContext.privileged !== true,
      ),
      'read-only root': containers.every(({ securityContext }) => securityContext?.readOnlyRootFilesystem === true),
      'limit of memory': containers.every(({ resources }) => resources?.limits?.memory !== undefined),
    };
    return Object.entries(rules).flatMap(([rule, isKept]) => (isKept ? [] : [`${owner.metadata.name}: ${rule}`]));
  });
}

/** Variables that are not settings, and what they are for. */
const OTHER_VARIABLES = [
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'MODEL_SERVER_KEY', 'JUDGE_KEY', 'XDG_CACHE_HOME'],
  // Of vLLM.
  ...['VLLM_ALLOW_RUNTIME_LORA_UPDATING', 'VLLM_NO_USAGE_STATS', 'HF_HUB_OFFLINE', 'HOME', 'VLLM_API_KEY'],
];
const OTHER_SECRETS = /SECRET|ACCESS_KEY|SERVER_KEY|JUDGE_KEY|API_KEY/;

/** @param settings every name that a service knows, with whether it is secret */
function environments(pods: readonly Pod[], settings: ReadonlyMap<string, boolean>): readonly string[] {
  return pods.flatMap((pod) =>
    containersOf(pod).flatMap(({ env }) =>
      env.flatMap(({ name, value }, index) => [
        ...(settings.has(name) || OTHER_VARIABLES.includes(name)
          ? []
          : [`${pod.owner.metadata.name}: no setting ${name}`]),
        ...((settings.get(name) ?? OTHER_SECRETS.test(name)) && value !== undefined
          ? [`${pod.owner.metadata.name}: ${name} in plain text`]
          : []),
        ...(env.findIndex((each) => each.name === name) < index ? [`${pod.owner.metadata.name}: ${name} twice`] : []),
      ]),
    ),
  );
}

function images(pods: readonly Pod[], { image, modelServer, training }: Expected): readonly string[] {
  const others: Readonly<Record<string, string | undefined>> = { 'model-server': modelServer, torch: training };
  return pods.flatMap((pod) =>
    containersOf(pod).flatMap((each) =>
      each.image === (each.name in others ? others[each.name] : image)
        ? []
        : [`${pod.owner.metadata.name}: image ${each.image}`],
    ),
  );
}

/** A server holds the adapter that serves and the one that takes over, and reads them where its generator writes them. */
function modelServers(pods: readonly Pod[]): readonly string[] {
  return pods.flatMap(({ owner, spec: { initContainers = [], containers } }) =>
    initContainers.flatMap(({ name, args, volumeMounts = [], restartPolicy }) => {
      if (name !== 'model-server') return [];
      const most = Number(args.find((each) => each.startsWith('--max-loras='))?.split('=')[1] ?? 1);
      const folder = containers[0]!.env.find((each) => each.name === 'SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER')?.value;
      return [
        ...(restartPolicy === 'Always' ? [] : [`${owner.metadata.name}: ${name} does not keep running`]),
        ...(most >= 2 ? [] : [`${owner.metadata.name}: ${name} has no room for a swap`]),
        ...(volumeMounts.some(({ mountPath }) => mountPath === folder)
          ? []
          : [`${owner.metadata.name}: ${name} does not see ${folder}`]),
      ];
    }),
  );
}

interface Policy {
  readonly podSelector: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly {
    readonly ports?: readonly { readonly port: number | string }[];
    readonly from?: unknown[];
  }[];
  readonly egress?: readonly { readonly ports?: readonly { readonly port: number | string }[] }[];
}

/** Every pod is shut by default, doors in are ports that it opens, doors out are those of the values. */
function doors(documents: readonly Manifest[], pods: readonly Pod[], portsOut: ReadonlySet<number>): readonly string[] {
  const policies = documents.flatMap(({ kind, spec }) => (kind === 'NetworkPolicy' ? [spec as unknown as Policy] : []));
  const holds = ({ podSelector }: Policy, { labels }: Pod): boolean =>
    Object.entries(podSelector.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
  const open = (pod: Pod): readonly (number | string)[] =>
    pod.spec.containers.flatMap(({ ports = [] }) => ports.flatMap(({ name, containerPort }) => [name, containerPort]));
  const opened = new Set(pods.flatMap(open));
  return [
    ...pods
      .filter((pod) => {
        const shut = policies.filter(
          (policy) => holds(policy, pod) && policy.ingress === undefined && policy.egress === undefined,
        );
        return !shut.some(({ policyTypes }) => policyTypes.includes('Ingress') && policyTypes.includes('Egress'));
      })
      .map(({ owner }) => `${owner.metadata.name}: not shut by default`),
    ...policies.flatMap(({ ingress = [], egress = [] }) => [
      ...ingress.flatMap(({ ports, from }) => [
        ...(from === undefined ? ['a door in for everybody'] : []),
        ...(ports ?? [{ port: 'any' }]).flatMap(({ port }) =>
          opened.has(port) ? [] : [`a door in at ${port}, which no pod opens`],
        ),
      ]),
      ...egress.flatMap(({ ports }) =>
        (ports ?? [{ port: 'any' }]).flatMap(({ port }) =>
          port === 53 || portsOut.has(Number(port)) ? [] : [`a door out at ${port}, which no value names`],
        ),
      ),
    ]),
  ];
}

/** What runs a service, as opposed to a command. */
export const isService = ({ kind }: Manifest): boolean => kind === 'Deployment' || kind === 'ScaledJob';

/** A pod with a token needs an account that may start Jobs, and nothing else. */
function accounts(documents: readonly Manifest[], pods: readonly Pod[]): readonly string[] {
  const may = (role: Manifest): readonly string[] =>
    (role.rules as { apiGroups: string[]; resources: string[]; verbs: string[] }[]).flatMap(
      ({ apiGroups, resources, verbs }) => verbs.map((verb) => `${verb} ${apiGroups.join()}/${resources.join()}`),
    );
  const granted = documents.filter(({ kind }) => kind === 'Role').flatMap(may);
  const withToken = pods.filter(({ spec }) => JSON.stringify(spec.volumes ?? []).includes('serviceAccountToken'));
  return [
    ...granted.filter((right) => !WORKERS_RIGHTS.includes(right)).map((right) => `a role that may ${right}`),
    ...withToken
      .filter(
        ({ spec }) =>
          !documents.some(({ kind, metadata }) => kind === 'Role' && metadata.name === spec.serviceAccountName),
      )
      .map(({ owner }) => `${owner.metadata.name}: a token of an account without a role`),
  ];
}
const WORKERS_RIGHTS = [...['get', 'list', 'create', 'delete'].map((verb) => `${verb} batch/jobs`), 'list /pods'];

/** A program that trains finds its model and its files where its worker has them, and runs as the same user. */
function sharedFolders(documents: readonly Manifest[], pods: readonly Pod[]): readonly string[] {
  return documents.flatMap(trainingJobs).flatMap((job) => {
    const [program] = podsOf([job]);
    const name = documents.find((each) => trainingJobs(each).length > 0)!.metadata.name;
    const worker = pods.find(({ spec }) =>
      JSON.stringify(spec.volumes ?? []).includes(`"configMap":{"name":"${name}"}`),
    );
    if (worker === undefined) return [`${name}: no worker reads it`];
    const claimOf = ({ spec }: Pod, path: string): string | undefined => {
      const mount = spec.containers[0]!.volumeMounts?.find(({ mountPath }) => mountPath === path)?.name;
      const volume = spec.volumes?.find((each) => each.name === mount);
      return (volume?.persistentVolumeClaim as { claimName?: string } | undefined)?.claimName;
    };
    const userOf = ({ spec }: Pod): unknown => (spec.securityContext as { runAsUser?: number } | undefined)?.runAsUser;
    return [
      ...['/jobs', '/models']
        .filter((path) => claimOf(program!, path) === undefined || claimOf(program!, path) !== claimOf(worker, path))
        .map((path) => `${name}: ${path} is another one than its worker's`),
      ...(userOf(program!) === userOf(worker) ? [] : [`${name}: another user than its worker`]),
    ];
  });
}

/** A signal comes, the batch ends, what is left is handed back: all of it before the kill. */
function terminations(pods: readonly Pod[]): readonly string[] {
  return pods.flatMap(({ owner, spec }) => {
    if (!isService(owner)) return [];
    const [container] = spec.containers;
    const graces = container!.env.filter(({ name }) => /^SEAM_(CONSUMING|GATEWAY)_SHUTDOWN_GRACE_MS$/.test(name));
    const waits = container!.lifecycle?.preStop?.sleep?.seconds ?? 0;
    const left = (Number(spec.terminationGracePeriodSeconds) - waits) * 1000;
    const isLonger = graces.length > 0 && graces.every(({ value }) => left >= Number(value) + 5_000);
    return isLonger ? [] : [`${owner.metadata.name}: killed before its batch may end`];
  });
}

/** Keys of a trigger's metadata, which KEDA's own schema leaves open: https://keda.sh/docs/2.18/scalers/ */
const TRIGGERS: Readonly<Record<string, { readonly needs: readonly string[]; readonly knows: readonly string[] }>> = {
  kafka: {
    needs: ['bootstrapServers', 'consumerGroup', 'topic', 'lagThreshold'],
    knows: ['activationLagThreshold', 'offsetResetPolicy', 'tls', 'sasl'],
  },
  prometheus: {
    needs: ['serverAddress', 'query', 'threshold'],
    knows: ['activationThreshold', 'ignoreNullValues'],
  },
};

interface Scaler {
  readonly scaleTargetRef?: { readonly name: string };
  readonly triggers: readonly {
    readonly type: string;
    readonly metadata: Readonly<Record<string, string>>;
    readonly authenticationRef?: { readonly name: string };
  }[];
}

/** Every scaler scales a Deployment or starts Jobs, by triggers that KEDA knows, with an authentication that is there. */
function scalers(documents: readonly Manifest[]): readonly string[] {
  const has = (kind: string, name: string): boolean =>
    documents.some((each) => each.kind === kind && each.metadata.name === name);
  return documents.flatMap(({ kind, metadata: { name }, spec }) => {
    if (kind !== 'ScaledObject' && kind !== 'ScaledJob') return [];
    const { scaleTargetRef, triggers } = spec as unknown as Scaler;
    const scaled = scaleTargetRef?.name;
    return [
      ...(scaled === undefined || has('Deployment', scaled) ? [] : [`${name}: scales ${scaled}, which is not there`]),
      ...(kind === 'ScaledJob' && has('Deployment', name) ? [`${name}: a Deployment takes the runs of its Jobs`] : []),
      ...triggers.flatMap(({ type, metadata, authenticationRef }) => {
        const { needs, knows } = TRIGGERS[type] ?? { needs: [], knows: [] };
        return [
          ...(type in TRIGGERS ? [] : [`${name}: no trigger ${type}`]),
          ...needs.filter((key) => !metadata[key]).map((key) => `${name}: a trigger ${type} without ${key}`),
          ...Object.keys(metadata)
            .filter((key) => !needs.includes(key) && !knows.includes(key))
            .map((key) => `${name}: a trigger ${type} with ${key}`),
          ...(authenticationRef === undefined || has('TriggerAuthentication', authenticationRef.name)
            ? []
            : [`${name}: no authentication ${authenticationRef.name}`]),
        ];
      }),
    ];
  });
}

export interface Expected {
  readonly image: string;
  /** Image of the generator's model server; absent: there is none. */
  readonly modelServer?: string;
  /** Image of the engine on PyTorch; absent: there is none. */
  readonly training?: string;
  readonly settings: ReadonlyMap<string, boolean>;
  readonly portsOut: ReadonlySet<number>;
}

/** All faults of a rendered chart with networkPolicy.enabled. */
export function policyFaults(documents: readonly Manifest[], expected: Expected): readonly string[] {
  const { settings, portsOut } = expected;
  const pods = podsOf(documents);
  return [
    ...documents.flatMap(({ kind, metadata }) => (KINDS.includes(kind) ? [] : [`${metadata.name}: kind ${kind}`])),
    ...restricted(pods),
    ...environments(pods, settings),
    ...images(pods, expected),
    ...modelServers(pods),
    ...doors(documents, pods, portsOut),
    ...terminations(pods),
    ...accounts(documents, pods),
    ...sharedFolders(documents, pods),
    ...scalers(documents),
  ];
}
