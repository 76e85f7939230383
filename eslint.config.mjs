import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import { edgeLibraries, FILES_WITH_EDGES } from './scripts/lint/arrows.cjs';
import { errorRules } from './scripts/lint/error-grammar.mjs';
import { houseRules } from './scripts/lint/plain-words.mjs';
import { specRules } from './scripts/lint/spec-scenery.mjs';

// Pure libraries decide; they do not look at the world. Each ban says what to do instead.
const impureCalls = [
  {
    selector: "CallExpression[callee.object.name=/^(Date|performance)$/][callee.property.name='now']",
    message: 'Take the time as an argument (kernel Clock at the edge).',
  },
  {
    selector: ":matches(NewExpression[callee.name='Date'][arguments.length=0], CallExpression[callee.name='Date'])",
    message: 'Take the time as an argument (kernel Clock at the edge).',
  },
  {
    selector: 'CallExpression[callee.name=/^(setTimeout|setInterval)$/]',
    message: 'Wait at the edge, or by the kernel (concurrency/waiting.ts).',
  },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'Take a seeded Random from the kernel as an argument.',
  },
  {
    selector:
      ':matches(CallExpression[callee.name=/^random(UUID|Int|Bytes)$/], CallExpression[callee.property.name=/^(random(UUID|Int|Bytes)|getRandomValues)$/])',
    message: 'Take a seeded Random from the kernel, or an id, as an argument.',
  },
  { selector: "CallExpression[callee.name='fetch']", message: 'Ask servers in a library that is an edge.' },
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'Take settings as an argument: the environment is read at the edge.',
  },
];
const evaluation = [
  { selector: "CallExpression[callee.name='eval']", message: 'Text is data, never code.' },
  { selector: ":matches(NewExpression, CallExpression)[callee.name='Function']", message: 'Text is data, never code.' },
  { selector: "Property[key.name='shell']", message: 'No shell: give the command and its arguments apart.' },
];

const namedExports = [
  { selector: 'ExportDefaultDeclaration', message: 'Export by name, so that a thing has one name everywhere.' },
];

const loopsOverTheLog = {
  selector:
    "ForOfStatement[await=true] > CallExpression.right[callee.property.name='read'][callee.object.name='log'], ForOfStatement[await=true] > CallExpression.right[callee.property.name='read'][callee.object.property.name='log']",
  message: 'Read by libs/log-reader, and name what becomes of records that are no events (docs/adr/0048).',
};

/** Lines of a function and of a file. Comments and blank lines count. */
const FUNCTION_LINES = 70;
const FILE_LINES = 400;

/** Tables of data or of cases: a row more makes no file harder to read. */
const tables = [
  // Answers that cheat, a row each.
  'test/acceptance/code-verdicts/cheats.ts',
  // Tests as published sets write them, a row each.
  'test/acceptance/code-verdicts/shapes.ts',
  // Classes of answers, a maker each.
  'libs/verifiers/src/math/answer-classes.fake.ts',
  // One example of every event.
  'libs/testing/src/example-events.ts',
  // Mutants, a row each.
  'test/mutants/*.mutants.mjs',
];

/** Files with a function over the limit. May only shrink: scripts/lint/shrinking-lists.mjs refuses an entry that keeps the limit. */
const FILES_WITH_LONG_FUNCTIONS = [
  'apps/cli/src/command-runtime.fake.ts',
  'test/fuzz/run.mjs',
  'test/performance/pipeline.bench.mjs',
  'test/support/deployment.ts',
  'test/support/event-log-processes.ts',
  'test/support/simulation/simulated-deployment.ts',
  'test/support/toy-world.ts',
];

/** Files over the limit. May only shrink: scripts/lint/shrinking-lists.mjs refuses an entry that keeps the limit. */
const LONG_FILES = [
  'apps/buffer/src/app.module.spec.ts',
  'apps/cli/src/adapters/serve-adapters.command.spec.ts',
  'apps/cli/src/publish/publish-problems.command.spec.ts',
  'apps/executor/src/app.module.spec.ts',
  'apps/executor/src/endpoint.spec.ts',
  'apps/generator/src/app.module.spec.ts',
  'apps/trainer/src/app.module.spec.ts',
  'libs/token-grammar/src/token-grammar.spec.ts',
  // One text on purpose: `node -e` is given it, and so is the worker in which the tests are rehearsed.
  'libs/verifiers/sandbox/judge.cjs',
  'test/acceptance/code-sandbox.spec.ts',
  'test/acceptance/event-log-kafka.spec.ts',
  'test/performance/pipeline.bench.mjs',
  'test/quick/doctor.spec.ts',
  'test/resilience/object-store-s3.spec.ts',
  'test/support/simulation/simulated-deployment.ts',
];

/** Files of pure libraries that ask for the time, for chance, a server or the environment. May only shrink, like the others. */
const FILES_WITH_IMPURE_CALLS = [
  // What every other file is given as an argument.
  'libs/kernel/src/clock.ts',
  'libs/kernel/src/concurrency/waiting.ts',
  'libs/kernel/src/ids.ts',
  // They say how long the executor took.
  'libs/evaluation/src/self-edits-study.ts',
  'libs/evaluation/src/sessions-study.ts',
  // A salt that a sender of keys cannot know.
  'libs/evidence/src/evidence.ts',
  'libs/evidence/src/known-experiences.ts',
  'libs/evidence/src/problem-contents.ts',
  'libs/tensor-graph/src/native-environment.ts',
  'libs/verifiers/src/http-endpoints.ts',
];

/** Places whose prose is not plain yet. May only shrink: scripts/lint/shrinking-lists.mjs refuses an entry that keeps the rule. */
const PLACES_WITH_HOUSE_WORDS = [
  // The text of a published prompt, which stays as it is.
  'libs/tasks/src/passage.task.ts',
];

/** Specs with more than a quarter of their lines before the first test. May only shrink, like the others. */
const SPECS_WITH_MUCH_SCENERY = [
  'apps/buffer/src/forged-results.spec.ts',
  'apps/cli/src/adapters/adapters.command.spec.ts',
  'apps/cli/src/ledger/show-ledger.command.spec.ts',
  'apps/cli/src/publish/choose-rows.spec.ts',
  'apps/standalone/src/report/report-page.spec.ts',
  'apps/standalone/src/run-loop.spec.ts',
  'apps/standalone/src/splits.spec.ts',
  'apps/standalone/src/watch-log.handler.spec.ts',
  'apps/trainer/src/forged-plans.spec.ts',
  'libs/evaluation/src/evaluate-samples.spec.ts',
  'libs/event-log-kafka/src/kafka-connection.spec.ts',
  'libs/event-log-kafka/src/kafkajs/kafkajs-patches.spec.ts',
  'libs/event-log-kafka/src/lossless-headers.spec.ts',
  'libs/events/src/encoded-fields.spec.ts',
  'libs/events/src/schema/avro-schema.spec.ts',
  'libs/events/src/schema/typescript-source.spec.ts',
  'libs/experience/src/answer-form.spec.ts',
  'libs/experience/src/leaks.spec.ts',
  'libs/experience/src/slot.spec.ts',
  'libs/language-model/src/checkpoint/digest-memory.spec.ts',
  'libs/model-clients/src/executor.endpoint.spec.ts',
  'libs/model-clients/src/generator.vllm.spec.ts',
  'libs/openai-endpoint/src/reported-revision.spec.ts',
  'libs/operations/src/adapters/act-on-adapters.spec.ts',
  'libs/service-kit/src/transport/failure-policy.decide.spec.ts',
  'libs/tensor-graph/src/derivative-rules.spec.ts',
  'libs/token-grammar/src/json-schema.spec.ts',
  'libs/token-grammar/src/token-grammar.spec.ts',
  'libs/training-runs/src/compare-adapters.spec.ts',
  'libs/training-runs/src/training-run.spec.ts',
  'libs/verifiers/src/answer-neighbours.spec.ts',
  'test/acceptance/gsm8k-flow.spec.ts',
  'test/acceptance/permissions-on-kafka.spec.ts',
  'test/interoperability/peft.spec.ts',
  'test/quick/doctor.spec.ts',
  'test/quick/hostile-entries.spec.ts',
  'test/quick/plain-words.spec.ts',
  'test/quick/s3-policies.spec.ts',
  'test/quick/secrets.spec.ts',
  'test/chaos/demonstration-killed.spec.ts',
  'test/resilience/power-cut.spec.ts',
];

const functionLimit = {
  'max-lines-per-function': ['error', { max: FUNCTION_LINES, skipBlankLines: false, skipComments: false, IIFEs: true }],
};
const fileLimit = { 'max-lines': ['error', { max: FILE_LINES, skipBlankLines: false, skipComments: false }] };

/** Of a component: a formatter gives each attribute and each end of an element a line. */
const COMPONENT_LINES = 135;
const componentLimit = {
  'max-lines-per-function': [
    'error',
    { max: COMPONENT_LINES, skipBlankLines: false, skipComments: false, IIFEs: true },
  ],
};

/** The rules of this repository, as one plugin. */
const house = { rules: { ...houseRules.rules, ...errorRules.rules, ...specRules.rules } };
const wordRule = { 'house/plain-words': 'error' };
const sceneryRule = { 'house/spec-scenery': ['error', { share: 0.25, lines: 20 }] };

/** The lists that may only shrink, each with the rule that its entries break. */
export const shrinkingLists = [
  { name: 'FILES_WITH_LONG_FUNCTIONS', entries: FILES_WITH_LONG_FUNCTIONS, rules: functionLimit },
  { name: 'LONG_FILES', entries: LONG_FILES, rules: fileLimit },
  {
    name: 'PLACES_WITH_HOUSE_WORDS',
    entries: PLACES_WITH_HOUSE_WORDS,
    plugins: { house },
    rules: wordRule,
  },
  {
    name: 'FILES_WITH_IMPURE_CALLS',
    entries: FILES_WITH_IMPURE_CALLS,
    rules: { 'no-restricted-syntax': ['error', ...impureCalls] },
  },
  { name: 'SPECS_WITH_MUCH_SCENERY', entries: SPECS_WITH_MUCH_SCENERY, plugins: { house }, rules: sceneryRule },
];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/*.generated.ts', 'data/**'] },
  // Plain JavaScript of the product (not types, for it has none). The sandbox's own files run what they are given: behind its walls.
  {
    files: ['{apps,libs,infra,scripts}/**/*.{js,mjs,cjs}'],
    ignores: ['libs/verifiers/sandbox/**'],
    rules: { 'no-restricted-syntax': ['error', ...evaluation] },
  },
  ...[...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked].map((config) => ({
    ...config,
    files: ['**/*.ts', '**/*.tsx'],
  })),
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Indexing typed arrays in numeric loops: the bound is the loop's, and a check per element would be the cost.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/require-await': 'off',
      // A field taken out of an object by destructuring the rest.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/prefer-for-of': 'off',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...evaluation, ...namedExports],
    },
  },
  {
    // The page runs in browsers: another program of types.
    files: ['apps/dashboard/src/**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: { project: './apps/dashboard/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    files: ['apps/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...evaluation, ...namedExports, loopsOverTheLog],
    },
  },
  {
    files: ['libs/*/src/**/*.ts'],
    ignores: [
      '**/*.{spec,contract,fake}.ts',
      ...edgeLibraries.map((name) => `libs/${name}/**`),
      ...FILES_WITH_EDGES,
      ...FILES_WITH_IMPURE_CALLS,
    ],
    rules: { 'no-restricted-syntax': ['error', ...evaluation, ...namedExports, ...impureCalls] },
  },
  {
    // A text that a stranger wrote must not stop an event loop: patterns take time in proportion to the text (docs/adr/0029).
    files: ['{libs,apps,infra}/**/*.ts'],
    ignores: [
      '**/*.spec.ts',
      // Run in threads whose processor time is bounded, on texts of bounded length.
      'libs/verifiers/src/math/{answer-form,notation,forms/*}.ts',
    ],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
    },
  },
  {
    files: ['**/*.spec.ts', '**/*.contract.ts', 'test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
    },
  },
  {
    files: ['**/*.{ts,tsx,js,mjs,cjs}'],
    ignores: [...LONG_FILES, ...tables],
    rules: fileLimit,
  },
  {
    // A suite is a list of tests, and a describe holds it whole.
    files: ['**/*.{ts,js,mjs,cjs}'],
    ignores: [...FILES_WITH_LONG_FUNCTIONS, '**/*.spec.ts', '**/*.contract.ts'],
    rules: functionLimit,
  },
  { files: ['**/*.tsx'], rules: componentLimit },
  {
    files: ['**/*.{ts,tsx,js,mjs,cjs}'],
    ignores: [
      ...PLACES_WITH_HOUSE_WORDS.flatMap((place) => [place, `${place}/**`]),
      // They name the words.
      'scripts/lint/plain-words.mjs',
      'test/quick/plain-words.spec.ts',
    ],
    plugins: { house },
    rules: wordRule,
  },
  {
    // A spec makes errors to hand them on, and plants faults.
    files: ['**/*.{ts,tsx,js,mjs,cjs}'],
    ignores: ['**/*.spec.ts'],
    plugins: { house },
    rules: { 'house/error-grammar': 'error' },
  },
  // What a row finds in a file, and puts there.
  { files: ['test/mutants/*.mutants.mjs'], rules: { 'house/plain-words': ['error', { codeIn: ['from', 'to'] }] } },
  {
    files: ['**/*.spec.ts'],
    ignores: SPECS_WITH_MUCH_SCENERY,
    plugins: { house },
    rules: sceneryRule,
  },
);
