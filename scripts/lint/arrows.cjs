// Lists of the rules in .dependency-cruiser.cjs on what a library or a folder of an app may import. `shrinking-lists.mjs` refuses an
// exception that is needed no more.

/** Libraries whose work is to read, write or reach something outside: files, networks, processes, threads. Every other one is pure. */
const edgeLibraries = [
  'bounded-work',
  'event-log-kafka',
  'event-log-lmdb',
  'experiment-tracking',
  'language-model',
  'model-clients',
  'model-files',
  'object-store-fs',
  'object-store-s3',
  'openai-endpoint',
  'operations',
  'schema-registry',
  'service-kit',
  'snapshots',
  'testing',
  'tool-servers',
  'training-contract',
];

/** Modules of Node that only compute. Every other one reaches what a pure library is given as an argument. */
const COMPUTING_MODULES = 'buffer|crypto|path|url|util|zlib';

/** Files of pure libraries that import such a module today. Make it an argument, or move the file; the list only shrinks. */
const FILES_WITH_EDGES = [
  'libs/experience/src/entry-schemas.ts',
  'libs/experience/src/executor-template.ts',
  'libs/experience/src/prompt-template.ts',
  'libs/experience/src/task-domain.ts',
  'libs/experience/src/template-texts.ts',
  'libs/kernel/src/brought-node.ts',
  'libs/kernel/src/read-range.ts',
  'libs/self-edits/src/own-kind.ts',
  'libs/self-edits/src/self-edit-kinds.ts',
  'libs/tokenizer/src/tokenizer-config.ts',
  'libs/tokenizer/src/tokenizer.ts',
  'libs/training-runs/src/program-runner.ts',
  'libs/training-runs/src/run-lease.ts',
  'libs/verifiers/src/code-sandbox.ts',
  'libs/verifiers/src/memory-watch.ts',
  'libs/verifiers/src/verifiers.ts',
];

/** Folders of apps, the uppermost first: a folder imports only folders below it. An app that is not named has none. */
const foldersTopDown = {
  // A folder a command; those that lend others what they parse, open or print are the lower ones.
  cli: [
    'acls',
    'arc',
    'audit',
    'bucket',
    'buffer',
    'completion',
    'config',
    'dead-letters',
    'deploy',
    'doctor',
    'experts',
    'feedback',
    'keys',
    'learned',
    'lift',
    'models',
    'release',
    'schemas',
    'start',
    'status',
    'tail',
    'topics',
    'replay',
    'restem',
    'edits',
    'solve',
    'study',
    'library',
    'team',
    'runs',
    'adapters',
    'gateway',
    'datasets',
    'show',
    'ledger',
    'train',
    'cost',
    'evaluate',
    'publish',
    'read-models',
    'terminal',
    'files',
  ],
  dashboard: ['pages', 'parts', 'state'],
  gateway: ['page', 'views', 'api', 'login', 'responses', 'chat', 'quotas', 'access', 'http'],
  standalone: ['study', 'team', 'view', 'report'],
};

/** Roles of files in apps, the uppermost first, each as the name ends: `x.handler.ts`. A file imports no role above its own. */
const rolesTopDown = ['module', 'controller', 'consumer', 'handler', 'decide'];

module.exports = { edgeLibraries, COMPUTING_MODULES, FILES_WITH_EDGES, foldersTopDown, rolesTopDown };
