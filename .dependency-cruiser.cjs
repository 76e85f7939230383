const {
  COMPUTING_MODULES,
  edgeLibraries,
  FILES_WITH_EDGES,
  foldersTopDown,
  rolesTopDown,
} = require('./scripts/lint/arrows.cjs');

// The architecture as a machine reads it. `libsTopDown` is the ladder: a library imports only names below its own.
// To change the architecture is to move a word in this array, with an ADR.
const libsTopDown = [
  'testing',
  'service-kit',
  'operations',
  'snapshots',
  'schema-registry',
  'event-log-lmdb',
  'event-log-kafka',
  'object-store-fs',
  'object-store-s3',
  'read-models',
  'team-tuning',
  'training-runs',
  'release',
  'doctor',
  'learning',
  'datasets',
  'success-buffer',
  'evaluation',
  'model-clients',
  'rollout',
  'environments',
  'embedded-world',
  'passage-world',
  'attribute-world',
  'self-edits',
  'experience-library',
  'tool-servers',
  'experience',
  'verifiers',
  'grid-tasks',
  'openai-endpoint',
  'inner-update',
  'training-contract',
  'language-model',
  'token-grammar',
  'tokenizer',
  'model-files',
  'tensor-graph',
  'experiment-tracking',
  'signatures',
  'experience-groups',
  'evidence',
  'log-reader',
  'event-log',
  'object-store',
  'tasks',
  'events',
  'near-duplicates',
  'bounded-work',
  'statistics',
  'gateway-contract',
  'kernel',
];

// Apps that host other apps: the standalone process and the command line. Services never import each other.
const hostingApps = ['standalone', 'cli'];

// `testing` is above all and has separate rules: specs of every library may import it, and nothing that runs may.
const upwards = libsTopDown.slice(2).map((name, index) => ({
  name: `no-upward-import-from-${name}`,
  comment: `libs/${name} may import only libraries below it (see libsTopDown). Move the code down, or invert the dependency with a port.`,
  severity: 'error',
  from: { path: `^libs/${name}/` },
  to: { path: `^libs/(${libsTopDown.slice(1, index + 2).join('|')})/` },
}));

const escaped = (path) => path.replaceAll('.', '\\.');

const upwardsInApps = Object.entries(foldersTopDown).flatMap(([app, folders]) =>
  folders.slice(1).map((folder, index) => ({
    name: `no-upward-arrow-in-${app}-from-${folder}`,
    comment:
      'A folder of an app imports only folders below it (foldersTopDown in scripts/lint/arrows.cjs). Move the code down.',
    severity: 'error',
    from: { path: `^apps/${app}/src/${folder}/`, pathNot: '\\.spec\\.ts$' },
    to: { path: `^apps/${app}/src/(${folders.slice(0, index + 1).join('|')})/` },
  })),
);

const filesOfRoles = (roles) => `^apps/.+\\.(${roles.join('|')})s?\\.ts$`;

const upwardsBetweenRoles = rolesTopDown.slice(1).map((role, index) => ({
  name: `no-upward-arrow-from-${role}-files`,
  comment: `A .${role}.ts file imports no role above its own (rolesTopDown in scripts/lint/arrows.cjs). Move the code down.`,
  severity: 'error',
  from: { path: filesOfRoles([role]) },
  to: { path: filesOfRoles(rolesTopDown.slice(0, index + 1)) },
}));

const placedFolders = Object.entries(foldersTopDown).map(
  ([app, folders]) => `^apps/${app}/src/(${folders.join('|')})/`,
);

module.exports = {
  forbidden: [
    ...upwards,
    ...upwardsInApps,
    ...upwardsBetweenRoles,
    {
      name: 'no-folder-without-place',
      comment:
        'A folder of an app that is not in foldersTopDown (scripts/lint/arrows.cjs) has no place among the others: add it there.',
      severity: 'error',
      from: {},
      to: { path: '^apps/[^/]+/src/[^/]+/', pathNot: placedFolders },
    },
    {
      name: 'pure-libraries-touch-no-edge',
      comment:
        'A library that is not in edgeLibraries (scripts/lint/arrows.cjs) opens no file, socket, process, timer or thread. Take what it reads as an argument, or do it in a library that is an edge.',
      severity: 'error',
      from: {
        path: '^libs/[^/]+/src/',
        pathNot: [
          '\\.(spec|contract|fake)\\.ts$',
          `^libs/(${edgeLibraries.join('|')})/`,
          ...FILES_WITH_EDGES.map((file) => `^${escaped(file)}$`),
        ],
      },
      to: { pathNot: `^(${COMPUTING_MODULES})$`, dependencyTypes: ['core'] },
    },
    {
      name: 'no-circle',
      comment: 'Two files that import each other are one file. Split by idea, or merge.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-lib-to-app',
      comment: 'Libraries know no app. Move what is needed into a library.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'dev-servers-are-for-tests',
      comment:
        'Libraries and services are given the addresses of their servers by configuration; only tests start servers.',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^infra/' },
    },
    {
      name: 'no-app-to-app',
      comment: 'Services talk through the event log. Only the hosting apps may import another app.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: `^apps/(${hostingApps.join('|')})/` },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'no-import-of-the-command-line',
      comment: 'The command line is the outermost ring.',
      severity: 'error',
      from: { pathNot: '^(apps/cli|test)/|^infra/images/start\\.mjs$' },
      to: { path: '^apps/cli/' },
    },
    {
      name: 'no-upward-arrow-in-the-command-line',
      comment:
        'What all commands share (the runtime, options, exit codes, terminal, files) knows none of them; process-runtime and main compose.',
      severity: 'error',
      from: {
        path: '^apps/cli/src/(command-runtime|command-options|exit-codes)\\.ts$|^apps/cli/src/(terminal|files)/',
      },
      to: { path: '^apps/cli/src/(?!terminal/|files/)[^/]+/' },
    },
    {
      name: 'no-ladder-without-name',
      comment: 'A library that is not in libsTopDown has no place in the architecture: add it there, with an ADR.',
      severity: 'error',
      from: {},
      to: { path: '^libs/', pathNot: `^libs/(${libsTopDown.join('|')})/` },
    },
    {
      name: 'only-through-the-index',
      comment: 'Import another package by its name; its src/index.ts (or its contract suite) is all it offers.',
      severity: 'error',
      from: { path: '^(libs|apps)/([^/]+)/' },
      to: {
        path: '^(libs|apps)/[^/]+/src/',
        pathNot: [
          '^$1/$2/',
          '^libs/[^/]+/src/(index|testing)\\.ts$',
          '^libs/[^/]+/src/[^/]+\\.contract\\.ts$',
          // One entry a file: a spec loads what it needs, and no framework beyond that.
          '^libs/testing/src/[^/]+\\.ts$',
          '^apps/[^/]+/src/(app\\.module|index|config)\\.ts$',
          // An entry without the reader of Parquet.
          '^libs/success-buffer/src/shards\\.ts$',
          // An entry without algorithms.
          '^libs/learning/src/service-presets\\.ts$',
          // Entries without the framework.
          '^libs/service-kit/src/(config|drivers)\\.ts$',
          // One entry a feature: a command loads what it does, and nothing of the others.
          '^libs/operations/src/[^/]+/index\\.ts$',
        ],
      },
    },
    {
      name: 'framework-only-at-the-edge',
      comment: 'NestJS is known to service-kit and the apps. A library that needs it is an edge in disguise.',
      severity: 'error',
      from: { path: '^libs/', pathNot: '^libs/service-kit/' },
      to: { path: 'node_modules/(@nestjs|rxjs|reflect-metadata|nestjs-pino|pino|prom-client)/' },
    },
    {
      name: 'no-framework-in-settings-and-drivers',
      comment:
        'Commands read settings and open drivers; a web framework would double what each of them takes to start.',
      severity: 'error',
      from: { path: '^(libs/service-kit/src/(config|drivers)[./]|apps/[^/]+/src/config\\.ts$)' },
      to: {
        path: 'node_modules/(@nestjs|rxjs|reflect-metadata|prom-client)/|^libs/service-kit/src/(index|run-service)\\.ts$',
      },
    },
    {
      name: 'lmdb-in-its-driver',
      comment: 'Technology lives in the driver that is named after it.',
      severity: 'error',
      from: { pathNot: '^(libs/event-log-lmdb|test/performance)/' },
      to: { path: '(^|node_modules/)lmdb(/|$)' },
    },
    {
      name: 'kafkajs-in-its-adapter',
      comment: 'Technology lives in the adapter that is named after it; the log stands on broker-protocol.port.ts.',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '^libs/event-log-kafka/src/kafkajs/' },
      to: { path: '(^|node_modules/)kafkajs(-snappy)?(/|$)' },
    },
    {
      name: 'kafkajs-internals-in-one-file',
      comment: 'What kafkajs does not publish is imported in one file, so that leaving it is a change of one file.',
      severity: 'error',
      from: { path: '^(libs|apps|test|scripts)/', pathNot: 'kafkajs/kafkajs-internals\\.ts$' },
      to: { path: '(^|node_modules/)kafkajs/src/' },
    },
    {
      name: 'broker-protocol-behind-its-port',
      comment: 'The log knows a client library by the port alone; one place chooses the adapter.',
      severity: 'error',
      from: {
        path: '^libs/event-log-kafka/src/',
        pathNot: '^libs/event-log-kafka/src/(kafkajs/|kafka-connection\\.ts$)',
      },
      to: { path: '^libs/event-log-kafka/src/kafkajs/' },
    },
    {
      name: 'aws-sdk-in-its-driver',
      comment: 'Technology lives in the driver that is named after it.',
      severity: 'error',
      from: { pathNot: '^(libs/object-store-s3|test)/' },
      to: { path: '(^|node_modules/)@(aws-sdk|smithy)/' },
    },
    {
      name: 'no-presigned-addresses',
      comment:
        'An address that carries a right to an object can be passed on. Each reader of objects has its own credentials.',
      severity: 'error',
      from: {},
      to: { path: '(^|node_modules/)@aws-sdk/s3-(request-presigner|presigned-post)(/|$)' },
    },
    {
      name: 'undici-in-its-place',
      comment: 'Servers of models are asked by openai-endpoint, which knows their limits and budgets.',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '^libs/openai-endpoint/' },
      to: { path: '(^|node_modules/)undici/' },
    },
    {
      name: 'processes-in-the-sandbox',
      comment:
        'Only the sandbox starts processes: any other program would have the rights of the service. The Node that runs the program itself is no other, and programs that train and tool servers are named by the settings alone.',
      severity: 'error',
      from: {
        path: '^(libs|apps)/',
        pathNot: [
          '\\.spec\\.ts$',
          '^libs/testing/',
          '^libs/verifiers/src/.*sandbox.*\\.ts$',
          '^libs/kernel/src/brought-node\\.ts$',
          '^libs/training-contract/src/job-launcher\\.child-process\\.adapter\\.ts$',
          '^libs/tool-servers/src/program-transport\\.ts$',
        ],
      },
      to: { path: '^child_process$', dependencyTypes: ['core'] },
    },
    {
      name: 'no-vm-outside-the-sandbox',
      comment: 'node:vm is no wall. Text is data, and what must run runs in the sandbox.',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '^libs/verifiers/sandbox/' },
      to: { path: '^vm$', dependencyTypes: ['core'] },
    },
    {
      name: 'onnx-runtime-in-its-place',
      comment: 'Only tensor-graph and language-model run sessions.',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '^libs/(tensor-graph|language-model)/' },
      to: { path: '(^|node_modules/)onnxruntime-(node|common)(/|$)' },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that does not resolve makes every other rule blind.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'testing-entries-are-for-tests',
      comment:
        "A package's testing entry offers its fakes to other packages' tests; nothing that runs may rest on them.",
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '\\.(spec|contract|fake)\\.ts$' },
      to: { path: '^libs/[^/]+/src/testing\\.ts$' },
    },
    {
      name: 'testing-library-is-for-tests',
      comment: 'libs/testing is for specs, contract suites and fakes. It is neither built nor shipped.',
      severity: 'error',
      from: { path: '^(libs|apps|infra)/', pathNot: ['^libs/testing/', '\\.(spec|contract|fake)\\.ts$'] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'no-testing-library-behind-a-fake',
      comment:
        'A fake that a service or a library offers runs in production, so it may not lead to libs/testing. Only fakes for specs may.',
      severity: 'error',
      from: {
        path: '^libs/[^/]+/src/index\\.ts$|^apps/[^/]+/src/(planted/)?(main|index|app\\.module)\\.ts$',
        pathNot: '^libs/testing/',
      },
      to: { path: '^libs/testing/', reachable: true },
    },
    {
      name: 'no-test-code-in-production',
      comment: 'Specs and contract suites are not shipped.',
      severity: 'error',
      from: { pathNot: '\\.(spec|contract)\\.ts$|^test/' },
      to: { path: '\\.(spec|contract)\\.ts$|^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^((libs|apps)/[^/]+|infra/dev)/dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { conditionNames: ['source', 'import', 'node', 'default'], exportsFields: ['exports'] },
  },
};
