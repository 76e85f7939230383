// What stands between a wrong deployment and the log.
const SCHEMAS = {
  file: 'libs/operations/src/cluster/check-schemas.ts',
  suite: 'quick',
  spec: 'apps/cli/src/schemas/check-schemas.command.spec.ts',
};

const RULES = {
  file: 'libs/operations/src/deploy/examine-values.decide.ts',
  suite: 'quick',
  spec: 'libs/operations/src/deploy/examine-values.spec.ts',
};

const of = (area) => ({ ...RULES, file: `libs/operations/src/deploy/examine-${area}.decide.ts` });
const reach = (area, rows) =>
  rows.map(([control, from, to]) => ({
    ...of(area),
    spec: 'libs/operations/src/deploy/examine-reach.spec.ts',
    ...{ control, from, to },
  }));
const READ_BY_SERVICES = {
  file: 'libs/operations/src/deploy/refused-settings.ts',
  suite: 'quick',
  spec: 'apps/cli/src/deploy/check-deployment.command.spec.ts',
};

const MODELS = {
  file: 'libs/operations/src/models/exchange-models.ts',
  suite: 'quick',
  spec: 'libs/operations/src/models/exchange-models.spec.ts',
};

const chart = (file, control, from, to) => ({
  control,
  file: `infra/helm/seamstream/templates/${file}`,
  ...{ from, to, suite: 'slow', spec: 'test/acceptance/chart-values.spec.ts' },
});

export default [
  chart(
    'hooks.yaml',
    'no hook waits for a password that Strimzi writes after it',
    'and .Values.hooks.topics (not .Values.strimzi.enabled)',
    '.Values.hooks.topics',
  ),
  chart('_helpers.tpl', 'a whole number of a setting is written without an exponent', 'toJson .', 'toString .'),
  {
    control: 'values are read as Helm reads them',
    ...RULES,
    file: 'libs/operations/src/deploy/helm-yaml.ts',
    spec: 'libs/operations/src/deploy/helm-yaml.spec.ts',
    from: "version: '1.1', ",
    to: '',
  },
  {
    control: 'options that the program of PyTorch does not have are refused',
    file: 'apps/trainer/src/torch-options.ts',
    suite: 'quick',
    spec: 'apps/trainer/src/torch-options.spec.ts',
    from: "?.test(values.join(' ')) !== true",
    to: "?.test(values.join(' ')) === false",
  },
  {
    control: 'a trainer takes each number of tokens that the program of PyTorch takes, its choice included',
    file: 'apps/trainer/src/torch-options.ts',
    suite: 'quick',
    spec: 'apps/trainer/src/torch-options.spec.ts',
    from: '^(auto|[1-9]',
    to: '^([1-9]',
  },
  {
    control: 'a record of an unknown schema ends the check of schemas',
    ...SCHEMAS,
    from: "new Set(['UNKNOWN_SCHEMA', 'INCOMPATIBLE_SCHEMA'])",
    to: "new Set(['INCOMPATIBLE_SCHEMA'])",
  },
  {
    control: 'the newest records are those that are looked at',
    ...SCHEMAS,
    from: 'from: Math.max(range.from, range.to - newest)',
    to: 'to: Math.min(range.to, range.from + newest)',
  },
  {
    control: 'a version of the registry that cannot be read ends the check of schemas',
    ...SCHEMAS,
    from: 'if (fault !== undefined)',
    to: "if (fault === '')",
  },
  {
    control: 'looking for a bucket makes none',
    file: 'apps/cli/src/bucket/bucket.command.ts',
    suite: 'quick',
    spec: 'apps/cli/src/bucket/bucket.command.spec.ts',
    from: 'await compareBucket(runtime)',
    to: '{ ...(await applyBucket(runtime)), exists: true }',
  },
  {
    control: 'services that generate with one model and train another are found',
    ...of('models'),
    from: 'if (here === there) return undefined;',
    to: "if (here === there || one === 'SEAM_GENERATOR_MODEL_FOLDER') return undefined;",
  },
  {
    control: 'a worker that decides by answers of another executor is found',
    ...of('models'),
    from: 'DRIVER, isComputed',
    to: 'isComputed',
  },
  {
    control: 'a deployment that believes unsigned adapters is found',
    ...RULES,
    from: "=== 'allowed',",
    to: "=== 'never',",
  },
  {
    control: 'a batch that outlives the grace of its pod is found',
    ...RULES,
    from: 'if (terminationGraceSeconds >= needed) return [];',
    to: 'if (terminationGraceSeconds > 0) return [];',
  },
  {
    control: 'an address behind a door that is shut is found',
    ...of('addresses'),
    from: 'if (port === undefined || open.has(port) || isLoopback(new URL(address).hostname)) return [];',
    to: 'if (port !== 0) return [];',
  },
  {
    control: 'an address that is the pod itself is found',
    ...of('addresses'),
    spec: 'libs/operations/src/deploy/examine-reach.spec.ts',
    from: 'isLoopback(host) && !OF_CLIENTS',
    to: "host === '' && !OF_CLIENTS",
  },
  {
    control: 'a bucket that is asked for by a name that is not there is found',
    ...of('addresses'),
    spec: 'libs/operations/src/deploy/examine-reach.spec.ts',
    from: 'host === undefined || pathStyle ||',
    to: 'host === undefined || !pathStyle ||',
  },
  {
    control: 'a Secret that is not the one that Strimzi writes is found',
    ...of('kafka'),
    spec: 'libs/operations/src/deploy/examine-reach.spec.ts',
    from: "(name !== user || key !== 'password')",
    to: "name === ''",
  },
  {
    control: 'an entrance that its network policy keeps shut is found',
    ...of('gateway'),
    spec: 'libs/operations/src/deploy/examine-reach.spec.ts',
    from: 'clients.length === 0',
    to: 'clients.length > 99',
  },
  ...reach('training', [
    [
      'another tag or digest of the repository may have PyTorch',
      'if (repository !== image.repository || !isSame) return [];',
      'if (repository !== image.repository) return [];',
    ],
    ['the chart’s version is the tag of services without one', '(image.tag || appVersion)', 'image.tag'],
    ['a tag before a digest says nothing', 'digest === undefined ? tag', 'tag !== undefined ? tag'],
  ]),
  ...reach('addresses', [
    [
      'a bucket that AWS does not make is found',
      "bucket.startsWith('arn:') || BUCKET_OF_AWS",
      "bucket !== '' || BUCKET_OF_AWS",
    ],
    ['the rule of AWS is for buckets of AWS', "endpoint !== '' || bucket", 'bucket'],
    ['an access point has another name than a bucket', "bucket.startsWith('arn:') || ", ''],
  ]),
  ...reach('gateway', [
    [
      'a path that is stripped or given to a middleware arrives without it',
      '/rewrite|strip|middleware/i',
      '/rewrite/i',
    ],
    ['a path may be changed by the value of an annotation', '`${name} ${value}`', '`${name}`'],
    ['an annotation that is off changes no path', "value !== 'false' && ", ''],
  ]),
  ...reach('model-server', [
    ['an argument with underscores is the one with hyphens', ".replaceAll('_', '-')", ''],
    ['a model that is on several processors wants them', '(?:tensor|pipeline|data)', '(?:tensor|pipeline)'],
    ['a short argument for several processors counts', '|-pp|-dp)', '|-pp)'],
  ]),
  {
    control: 'a tolerance by which every adapter is refused is found',
    ...of('model-server'),
    spec: 'libs/operations/src/deploy/examine-reach.spec.ts',
    from: "own?.precision !== 'bfloat16'",
    to: "own?.precision !== 'float16'",
  },
  {
    control: 'comparisons on other problems than the planner’s are found',
    ...of('models'),
    spec: 'libs/operations/src/deploy/examine-reach.spec.ts',
    from: "[['planner', 'worker'], each]",
    to: "[['planner', 'planner'], each]",
  },
  {
    control: 'a Secret without the key that is read is found',
    file: 'libs/operations/src/deploy/check-deployment.ts',
    suite: 'quick',
    spec: 'apps/cli/src/deploy/check-deployment.command.spec.ts',
    from: 'keys.filter((key) => !found.includes(key))',
    to: 'keys.filter(() => false)',
  },
  {
    control: 'workers that are scaled by a figure without a source are found',
    ...RULES,
    from: "monitoring.prometheusUrl !== ''",
    to: "monitoring.prometheusUrl !== 'http'",
  },
  {
    control: 'generators that share one model server are found',
    ...RULES,
    from: "'SEAM_GENERATOR_DRIVER') !== 'vllm') return [];",
    to: "'SEAM_GENERATOR_DRIVER') !== 'none') return [];",
  },
  {
    control: 'a part of a model that is not what its name says is refused',
    ...MODELS,
    from: 'if (sha256(bytes) !== digest) throw corrupt(partKey(digest));',
    to: '',
  },
  {
    control: 'a list of a model’s files that is not what its name says is refused',
    ...MODELS,
    from: 'if (sha256(bytes) !== digest) throw corrupt(listKey(digest));',
    to: '',
  },
  {
    control: 'a damaged folder of a model is not served',
    ...MODELS,
    from: 'if (found.join() !== parts.map((part) => part.sha256).join()) return false;',
    to: 'if (found.length === 0) return false;',
  },
  {
    control: 'a model that no pod fetches is found',
    ...RULES,
    from: 'models.fetch.includes(digest) ?',
    to: 'digest.length > 0 ?',
  },
  {
    control: 'a worker for one run takes no second one',
    file: 'apps/trainer/src/take-runs.ts',
    suite: 'quick',
    spec: 'apps/trainer/src/planner-and-worker.spec.ts',
    from: "if (this.settings.takes === 'one-run')",
    to: "if (this.settings.takes === 'one-run' && next === undefined)",
  },
  {
    control: 'a process that plans does not end with a run',
    file: 'apps/trainer/src/config.ts',
    suite: 'quick',
    spec: 'apps/trainer/src/planner-and-worker.spec.ts',
    from: "takes === 'runs' || roles.every((role) => role === 'worker')",
    to: 'takes.length + roles.length > 0',
  },
  {
    control: 'the age of a lag is that of the oldest record of all partitions',
    file: 'libs/service-kit/src/service-metrics.ts',
    suite: 'quick',
    spec: 'libs/service-kit/src/service-metrics.spec.ts',
    from: 'seconds: Math.max(0, ...waits)',
    to: 'seconds: Math.max(0, Math.min(...waits))',
  },
  {
    control: 'an age that is not known is not reported',
    file: 'libs/event-log/src/consumer-lag.ts',
    suite: 'quick',
    spec: 'libs/event-log/src/consumer-lag.spec.ts',
    from: 'to: Math.min(high, from + MAX_LOOKED_AT)',
    to: 'to: high',
  },
  {
    control: 'Jobs that train and have no model are found',
    ...of('training'),
    from: "?.startsWith('/models/') !== true",
    to: '=== "none"',
  },
  {
    control: 'a service that is scaled by a figure that no service reports is found',
    ...RULES,
    from: "if (values.monitoring.prometheusUrl !== '') return [];",
    to: "if (values.monitoring.prometheusUrl !== 'x') return [];",
  },
  {
    control: 'a setting that its service refuses is found',
    ...READ_BY_SERVICES,
    from: 'for (const fault of await read(facts[name].program, environment)) {',
    to: 'for (const fault of (await read(facts[name].program, environment)).slice(9)) {',
  },
  {
    control: 'an image by a tag that trains or serves a model is found',
    ...of('exposure'),
    from: '!DIGEST.test(part.image)',
    to: 'part.image.length === 0',
  },
  {
    control: 'an object store without encryption is found in production',
    ...of('exposure'),
    from: "return [warning('objects-in-the-clear', said)];",
    to: "return said.length > 9 ? [warning('objects-in-the-clear', said)] : [];",
  },
  {
    control: 'a key that is sent in the clear is found',
    ...of('exposure'),
    from: 'isAsked(path, setting) && isPlaintextElsewhere(value)',
    to: 'isAsked(path, setting) && isPlaintextElsewhere(path)',
  },
  {
    control: 'an Ingress without TLS is found',
    ...of('exposure'),
    from: "gateway.ingress.tlsSecret !== ''",
    to: "gateway.ingress.tlsSecret !== 'x'",
  },
  {
    control: 'pods whose doors are open are found',
    ...of('exposure'),
    from: 'if (networkPolicy.enabled) return [];',
    to: 'if (networkPolicy.extraPorts.length >= 0) return [];',
  },
  {
    control: 'a key among the arguments of a model server is found',
    ...of('exposure'),
    from: "['api-key', 'port',",
    to: "['port',",
  },
  {
    control: 'a key among the arguments is found however its name is written',
    ...of('exposure'),
    from: ".replaceAll('_', '-')",
    to: ".replaceAll('=', '-')",
  },
  {
    control: 'a key among the arguments is found by the beginning of its name',
    ...of('exposure'),
    from: 'taken.startsWith(name)',
    to: 'taken === name',
  },
  {
    control: 'a gateway that is open to everybody is found',
    ...of('gateway'),
    from: "?? 'open') !== 'open') return [];",
    to: "?? 'keys') !== 'open') return [];",
  },
  {
    control: 'an answer that outlives the grace of its gateway is found',
    ...of('gateway'),
    from: 'if (left * 1000 >= answerMs) return [];',
    to: 'if ((left + PRE_STOP_SECONDS) * 1000 >= answerMs) return [];',
  },
  {
    control: 'a process of training without a processor is found',
    ...of('training'),
    from: '(count === 0 && processes === 1)',
    to: 'count === 0',
  },
  {
    control: 'processors of AMD are counted',
    ...RULES,
    file: 'libs/operations/src/deploy/rule.ts',
    from: "['nvidia.com/gpu', 'amd.com/gpu']",
    to: "['nvidia.com/gpu']",
  },
  {
    control: 'settings that the chart’s templates refuse are found',
    ...of('refusals'),
    spec: 'libs/operations/src/deploy/refused-values.spec.ts',
    from: 'Object.keys(service.settings)',
    to: 'Object.keys(values.settings)',
  },
  {
    control: 'a Secret of no value that is to be made is found',
    ...of('refusals'),
    from: '.filter((name) => !named.has(name))',
    to: '.filter((name) => named.size === 0 && !named.has(name))',
  },
  {
    control: 'a file that settings name and the ConfigMap lacks is found',
    file: 'libs/operations/src/deploy/references.ts',
    suite: 'quick',
    spec: 'apps/cli/src/deploy/check-deployment.command.spec.ts',
    from: 'values.files.configMap, filesOf(values))',
    to: 'values.files.configMap, filesOf(values).slice(9))',
  },
];
