// Suites: `quick` next to the code (seconds), `slow` across services and on real processes (minutes), `learning` and `chaos` (whole
// demonstrations, and what is done to them), `real-model` with a model of others,
// `torch` with the other training engine, `ray` with that on Ray, `vllm` with a real vLLM server, `containers` with images, `cluster` on
// a cluster that is given, `dashboard` in a real browser, `alerts` with the checker of Prometheus.
// Tests have a separate environment, which native libraries do not see: libs/tensor-graph/src/native-environment.ts.
process.env.ORT_DISABLE_TELEMETRY ??= '1';

const shared = {
  testEnvironment: '<rootDir>/test/support/test-environment.cjs',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  transform: { '^.+\\.ts$': '@swc/jest' },
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['js', 'ts', 'json', 'node', 'mjs', 'cjs'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // It has a condition `source` as well, which means TypeScript.
    '^eventsource-parser/stream$': '<rootDir>/node_modules/eventsource-parser/dist/stream.js',
    '^fast-check$': '<rootDir>/test/support/fast-check.mjs',
  },
  globalSetup: '<rootDir>/test/support/before-all-suites.mjs',
  globalTeardown: '<rootDir>/test/support/after-all-suites.mjs',
};

export default {
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // For both suites (jest reads it here only): generous, since processes are started and machines are busy; a hang still ends.
  testTimeout: 60_000,
  projects: [
    {
      ...shared,
      displayName: 'quick',
      testMatch: [
        '<rootDir>/{libs,apps}/*/{src,test}/**/*.spec.ts',
        '<rootDir>/infra/dev/src/**/*.spec.ts',
        '<rootDir>/test/quick/**/*.spec.ts',
      ],
    },
    {
      ...shared,
      displayName: 'slow',
      testMatch: ['<rootDir>/test/{acceptance,interoperability,resilience}/**/*.spec.ts'],
    },
    // A separate stage: the demonstrations learn what they say they learn, and do not where the rewards say nothing. Minutes.
    { ...shared, displayName: 'learning', testMatch: ['<rootDir>/test/learning/**/*.spec.ts'] },
    // A separate stage: brokers, networks, the pipeline and whole demonstrations, disturbed. Minutes.
    { ...shared, displayName: 'chaos', testMatch: ['<rootDir>/test/chaos/**/*.spec.ts'] },
    // A separate stage: it fetches a model and gigabytes of packages.
    { ...shared, displayName: 'real-model', testMatch: ['<rootDir>/test/real-model/**/*.spec.ts'] },
    // The engine on PyTorch, by itself and compared with the one on ONNX Runtime: the same packages.
    { ...shared, displayName: 'torch', testMatch: ['<rootDir>/test/torch/**/*.spec.ts'] },
    // The same on a real Ray, whose packages are some 400 MB more.
    { ...shared, displayName: 'ray', testMatch: ['<rootDir>/test/ray/**/*.spec.ts'] },
    // MLflow's server and the client of Weights & Biases, from PyPI: a gigabyte the first time.
    { ...shared, displayName: 'tracking', testMatch: ['<rootDir>/test/tracking/**/*.spec.ts'] },
    // A separate stage: gigabytes of packages, and a server that takes a minute to start.
    { ...shared, displayName: 'vllm', testMatch: ['<rootDir>/test/vllm/**/*.spec.ts'] },
    // A separate stage: the page in a real browser, over a run of the demonstration that it begins with.
    { ...shared, displayName: 'dashboard', testMatch: ['<rootDir>/test/dashboard/**/*.spec.ts'] },
    // A separate stage: promtool, which Debian has. Some seconds.
    { ...shared, displayName: 'alerts', testMatch: ['<rootDir>/test/alerts/**/*.spec.ts'] },
    // A separate stage: it makes images and runs containers.
    { ...shared, displayName: 'containers', testMatch: ['<rootDir>/test/containers/**/*.spec.ts'] },
    // A separate stage: it needs a cluster, which SEAM_TEST_KUBECONFIG names.
    { ...shared, displayName: 'cluster', testMatch: ['<rootDir>/test/cluster/**/*.spec.ts'] },
  ],
};
