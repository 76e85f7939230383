// Every value of the chart once: what it may be, its default, what it means. scripts/reference.mjs makes of it values.yaml,
// values.schema.json and docs/reference/chart-values.md.

import { modelServer, trainingJobs } from './model-values.mjs';
import { flag, free, list, NAME, object, PORT, secretKey, text, texts, whole } from './value-forms.mjs';

const settings = (names, description) => ({
  ...{ type: 'object', description, default: {} },
  propertyNames: { enum: names },
  additionalProperties: { type: ['string', 'number', 'boolean'] },
});
const secretSettings = (names, description) =>
  list(description, {
    type: 'object',
    properties: {
      setting: names instanceof RegExp ? { type: 'string', pattern: names.source } : { enum: names },
      secret: { type: 'string', ...NAME },
      key: { type: 'string' },
    },
    required: ['setting', 'secret', 'key'],
    additionalProperties: false,
  });

/** What a service runs with by default, from the measurements of the demonstration's models; real models need more. */
const SIZES = {
  generator: { cpu: '1', memory: '1Gi' },
  executor: { cpu: '1', memory: '1Gi' },
  buffer: { cpu: '500m', memory: '512Mi' },
  planner: { cpu: '500m', memory: '1Gi' },
  worker: { cpu: '2', memory: '2Gi' },
  gateway: { cpu: '500m', memory: '512Mi' },
};

const lagAge = () =>
  whole(
    'Seconds that the oldest record has waited, per pod, from which on there is another pod; 0: its age does not count. It needs monitoring.prometheusUrl.',
    0,
  );

/** By what KEDA scales a service. */
const SCALED_BY = {
  lag: {
    description: 'Scaling by lag (KEDA).',
    max: whole('Most pods. More than partitions (4) have nothing to do.', 4, 1),
    lagThreshold: whole('Records behind, per pod, from which on there is another pod.', 256, 1),
    lagAgeSeconds: lagAge(),
  },
  shards: {
    description: 'Scaling by the lag of each shard (KEDA).',
    max: whole('Most pods. More than SEAM_BUFFER_SHARDS have nothing to do.', 1, 1),
    lagThreshold: whole('Records that a shard is behind, per pod, from which on there is another pod.', 256, 1),
    lagAgeSeconds: lagAge(),
  },
  queue: {
    description: 'Scaling by planned runs (KEDA), which Prometheus knows: monitoring.prometheusUrl.',
    max: whole(
      'Most pods. A pod carries out one run at a time, and the windows of one stream follow each other.',
      4,
      1,
    ),
    runsPerPod: whole('Planned runs, per pod, from which on there is another pod.', 1, 1),
    jobs: flag(
      'Whether each planned run gets a separate Job, which ends with it, instead of pods that stay. A scale-down then ends no run.',
      false,
    ),
  },
};

function autoscaling({ description, max, ...threshold }) {
  return object(description, {
    enabled: flag('Whether KEDA scales it. It needs the operator in the cluster.', false),
    min: whole('Fewest pods; 0 lets it sleep while there is nothing to do.', 0),
    max,
    ...threshold,
    cooldownSeconds: whole('Seconds without work after which it sleeps.', 300),
  });
}

/** Where clients come in. */
const entrance = () => ({
  loginSecret: secretKey('the secret of its client at the OpenID provider (docs/how-to/oidc.md)', 'secret'),
  path: text('Path below which clients ask.', '/', { pattern: '^/[^\\s]*$' }),
  ingress: object('An Ingress, where a controller is in the cluster.', {
    enabled: flag('Whether it is made.', false),
    className: text('Its class.', '', { ...NAME }),
    host: text('Name that clients ask.', '', { ...NAME }),
    tlsSecret: text('Name of a Secret of type kubernetes.io/tls for that name.', '', { ...NAME }),
    annotations: texts('Annotations, such as time-outs for long answers.'),
  }),
  httpRoute: object('An HTTPRoute, where the Gateway API is in the cluster.', {
    enabled: flag('Whether it is made.', false),
    parentRefs: list('Gateways that it belongs to, as an HTTPRoute has them.', { type: 'object' }),
    hostnames: list('Names that clients ask.', { type: 'string', minLength: 1 }),
  }),
  clients: list(
    'Peers (as a NetworkPolicy has them) that may ask: those of the Ingress or Gateway; default: all pods of the namespace.',
    { type: 'object' },
  ),
});

/** Its fallbacks name the variables of their keys, and the login that of its secret: any that begin like this. */
const SECRETS_OF_GATEWAY = /^SEAM_GATEWAY_/;

function service(name, given) {
  const { names, scaledBy, asksModel = true, asksJudge, hasServer, trains, plans, isEntrance } = given;
  const { cpu, memory } = SIZES[name];
  return object(`The ${name}.`, {
    enabled: flag('Whether it is deployed.', !isEntrance),
    replicas: whole('Number of pods; where KEDA scales it, the number that it falls back to.', 1),
    settings: settings(
      names,
      'Settings of this service: docs/reference/settings.md. Secret ones are given as Secrets below.',
    ),
    sasl: object('Who it is on Kafka.', {
      passwordSecret: secretKey(
        'the password of its principal, which infra/kafka/acls.json names (User:seam-…),',
        'password',
      ),
    }),
    signingKeySecret: secretKey('the private key that it signs with (docs/how-to/signatures.md)', 'key.pem'),
    ...(asksModel && {
      endpointKeySecret: secretKey('the key of the model server that it asks', 'key'),
    }),
    ...(asksJudge && {
      judgeKeySecret: secretKey('the key of the model that judges answers in words (judge@1)', 'key'),
    }),
    secretSettings: secretSettings(names.secret ?? names, 'Secret settings, each from a Secret.'),
    resources: free('Requests and limits.', { requests: { cpu, memory }, limits: { memory } }),
    ...(scaledBy && { autoscaling: autoscaling(SCALED_BY[scaledBy]) }),
    ...(hasServer && { modelServer: modelServer() }),
    ...(trains && { trainingJobs: trainingJobs() }),
    ...(isEntrance && entrance()),
    ...(plans && {
      decidesReleases: flag(
        'Whether it also decides by the declared plans what is released. Without, `seam release decide --follow` does.',
        true,
      ),
    }),
    minAvailable: whole('Pods that a voluntary disruption leaves (PodDisruptionBudget); 0: no budget.', 0),
    terminationGraceSeconds: whole(
      isEntrance
        ? 'Seconds from the end of a pod to SIGKILL. For five of them it still takes clients; all but ten of the rest are the time in which answers may end before they are cut off.'
        : 'Seconds from SIGTERM to SIGKILL. All but ten of them are the time in which a batch may end before it is handed back.',
      60,
      15,
    ),
    nodeSelector: texts('Labels of the nodes that it may run on.'),
    tolerations: list('Taints that it tolerates.', { type: 'object' }),
  });
}

/** What the services work with: the image, the log, the objects. */
const connections = () => ({
  image: object('The image of infra/images, built by npm run image.', {
    repository: text('Name of the image, with its registry.', 'seamstream', { minLength: 1 }),
    tag: text("Tag; default: the chart's appVersion. A digest goes before it."),
    digest: text('Digest of the image, sha256:…. Production sets it: a tag may be moved.', '', {
      pattern: '^(sha256:[0-9a-f]{64})?$',
    }),
    pullPolicy: { ...text('When it is pulled.', 'IfNotPresent'), enum: ['Always', 'IfNotPresent', 'Never'] },
    pullSecrets: list('Names of Secrets with which it is pulled.', { type: 'string', ...NAME, minLength: 1 }),
  }),
  kafka: object('The cluster that holds the log.', {
    brokers: list(
      "Some of the cluster's brokers, host:port.",
      { type: 'string', pattern: `^[^\\s:/]+:${PORT}$` },
      { minItems: 1, default: ['kafka:9092'] },
    ),
    prefix: text('Stands before the names of topics, groups and transactional ids.', '', {
      pattern: '^[a-zA-Z0-9._-]*$',
    }),
    tls: object('Encryption.', {
      enabled: flag('Whether brokers are reached by TLS.', true),
      authoritySecret: secretKey("the authority that signed the brokers' certificates", 'ca.crt'),
    }),
    sasl: object('How services say who they are.', {
      mechanism: { ...text('The mechanism.', 'scram-sha-512'), enum: ['plain', 'scram-sha-256', 'scram-sha-512'] },
    }),
    operatorPasswordSecret: secretKey('the password of seam-operator, which makes topics,', 'password'),
  }),
  objectStore: object(
    'The S3 bucket that holds adapters, versions of the buffer and checkpoints. It has to exist, or hooks.bucket makes it.',
    {
      bucket: text('Name of the bucket, or the ARN of an access point.', 'seamstream', {
        // Servers differ in what else they take: seam deploy check knows the rule of AWS.
        pattern: '^([^\\s/]{3,}|arn:\\S+)$',
      }),
      prefix: text('Every key lies below it.'),
      endpoint: text('Address of a server other than AWS.', '', { pattern: '^(https?://[^\\s@]+)?$' }),
      region: text('Region.', 'us-east-1'),
      pathStyle: flag(
        'The bucket in the path instead of the host’s name: what most servers other than AWS want.',
        false,
      ),
      credentialsSecret: text(
        'Name of a Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Without one the pods use the identity of serviceAccount.annotations.',
        '',
        { ...NAME },
      ),
    },
  ),
});

/** What every service has. */
const shared = (commonSettings) => ({
  settings: settings(commonSettings, 'Settings of all services. What the values above say is not set here.'),
  trustedKeysConfigMap: text('Name of a ConfigMap with trusted-keys.json: the public keys that are believed.', '', {
    ...NAME,
  }),
  files: object('Files of the user: entry schemas, validation problems.', {
    configMap: text('Name of a ConfigMap whose keys are files in /files.', '', { ...NAME }),
  }),
  models: object('Models other than the shipped ones.', {
    claim: text('Name of a PersistentVolumeClaim that is mounted at /models. Settings name its folders.', '', {
      ...NAME,
    }),
    fetch: list(
      'Digests that seam models push printed. Each pod fetches what is not there and checks every byte before it starts; settings name /models/<digest>.',
      { type: 'string', pattern: '^[0-9a-f]{64}$' },
      { uniqueItems: true },
    ),
    cacheSize: text('Most that a pod holds of them where no claim keeps them for all.', '20Gi', {
      pattern: '^[0-9]+(Mi|Gi|Ti)$',
    }),
  }),
  adapters: object('Adapters that a vLLM server outside of the pods loads, where the generator asks one.', {
    claim: text(
      'Name of a PersistentVolumeClaim (ReadWriteMany) that the generators write at /adapters and the server reads.',
      '',
      { ...NAME },
    ),
  }),
  http: object('Health and metrics, on port 8080.', {
    tlsSecret: text('Name of a Secret of type kubernetes.io/tls. Without one they are served by plain http.', '', {
      ...NAME,
    }),
    serverName: text(
      'A name in that certificate. Prometheus asks pods by their addresses, for which no certificate is valid.',
      '',
      { ...NAME },
    ),
  }),
});

const address = (description, more = '') => text(description, '', { pattern: `^(https?://[^\\s@]+${more})?$` });

/** How it is watched. */
const telemetry = () => ({
  tracing: object('Traces of requests (docs/how-to/telemetry.md).', {
    url: address(
      'Address of a collector that takes OTLP over HTTP; the network policy opens its port. Empty: no traces.',
    ),
    headersSecret: secretKey('the JSON object of headers that the collector asks for', 'headers'),
    sampleRatio: { type: 'number', description: 'Fraction of requests traced.', default: 1, minimum: 0, maximum: 1 },
  }),
  monitoring: object('Prometheus, where its operator is in the cluster.', {
    serviceMonitor: flag('Whether a PodMonitor is made. With http.tlsSecret it needs http.serverName.', false),
    rules: flag('Whether alert rules are made (docs/how-to/alerts.md), for the pods of this installation.', false),
    runbooksUrl: address('Stands before docs/how-to/alerts.md in the addresses that alerts name.', '[^\\s@/]'),
    board: flag("Whether a ConfigMap has the board, for the sidecar of Grafana's chart to load.", false),
    prometheusUrl: address(
      'Address of the Prometheus that reads these pods. KEDA asks it how many planned runs there are.',
    ),
  }),
});

/** How the cluster runs them. */
const operation = (commonSecrets) => ({
  hooks: object('Jobs before an installation or an upgrade.', {
    topics: flag(
      'Makes missing topics (seam topics apply). It deletes nothing. With strimzi.enabled Strimzi makes them, and this Job is left out.',
      true,
    ),
    bucket: flag(
      'Makes the bucket if it is missing (seam bucket apply). It needs objectStore.credentialsSecret with the right to make buckets.',
      false,
    ),
    schemas: flag(
      'Refuses an upgrade or a rollback to a version that cannot read what is in the log or the schema registry (seam schemas check).',
      true,
    ),
    ledger: flag(
      'Refuses an upgrade unless the new version reads the log and its ledger balances (seam ledger --check).',
      false,
    ),
    secretSettings: secretSettings(
      commonSecrets,
      'Secret settings of the Jobs, such as the password of a schema registry.',
    ),
  }),
  externalSecrets: object('Secrets that the External Secrets Operator makes, instead of ones that exist.', {
    names: list(
      'Secrets that values name and that are made from the store. Each has an entry of its name there, with a property for each key.',
      { type: 'string', ...NAME, minLength: 1 },
      { uniqueItems: true },
    ),
    store: object('The store.', {
      kind: { ...text('Its kind.', 'SecretStore'), enum: ['SecretStore', 'ClusterSecretStore'] },
      name: text('Its name.', 'seam', { ...NAME, minLength: 1 }),
    }),
    entryPrefix: text('Stands before the names of the entries, such as the path of a vault.'),
    refreshInterval: text('How often the store is read again.', '1h', { pattern: '^([0-9]+(s|m|h))+$' }),
  }),
  serviceAccount: object('The identity of the pods in the cluster. No pod has a token of it.', {
    annotations: texts('Annotations, for a cloud’s workload identity.'),
  }),
  networkPolicy: object('Doors in and out; everything else is shut.', {
    enabled: flag('Whether NetworkPolicies are made. The cluster’s network has to enforce them.', true),
    monitoringNamespace: text('Namespace that may ask for health and metrics.', 'monitoring', { ...NAME }),
    egressPeers: list(
      'Peers (as a NetworkPolicy has them) that Kafka, the object store and endpoints are reached at; default: any address, on their ports.',
      { type: 'object' },
    ),
    extraPorts: list(
      'Further ports that pods may reach: of an executor’s endpoint, a schema registry, a workload identity.',
      {
        ...{ type: 'integer', minimum: 1, maximum: 65535 },
      },
    ),
  }),
  topologySpread: flag('Whether the pods of a service are spread over nodes and zones where that is possible.', true),
  strimzi: object(
    'Kafka as Strimzi runs it: topics, users and rights as its resources, from infra/kafka. Its Entity Operator has to watch this namespace.',
    {
      enabled: flag('Whether KafkaTopic and KafkaUser are made.', false),
      cluster: text('Name of the Kafka resource.', 'kafka', { ...NAME, minLength: 1 }),
      replicas: whole('Copies of each partition.', 3, 1),
    },
  ),
});

/**
 * The chart's values.
 * @param namesOf the settings of a service, plain and secret ones, by its program's name; `common` are those of all
 */
export function chartValues(namesOf) {
  const of = (name) => {
    const { plain, secret } = namesOf(name);
    return Object.assign(plain, { secret });
  };
  return object('Values of the chart seamstream.', {
    ...connections(),
    ...shared(of('common')),
    services: object('What runs.', {
      generator: service('generator', { names: of('generator'), scaledBy: 'lag', hasServer: true }),
      executor: service('executor', { names: of('executor'), scaledBy: 'lag', asksJudge: true }),
      buffer: service('buffer', { names: of('buffer'), scaledBy: 'shards', asksModel: false }),
      planner: service('planner', { names: of('trainer'), plans: true }),
      worker: service('worker', { names: of('trainer'), scaledBy: 'queue', trains: true, asksJudge: true }),
      gateway: service('gateway', {
        names: Object.assign(of('gateway'), { secret: SECRETS_OF_GATEWAY }),
        isEntrance: true,
      }),
    }),
    ...telemetry(),
    ...operation(of('common').secret),
  });
}
