import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

// Pure libraries decide; they do not look at the world. Each ban says what to do instead.
const pureLibraries = [
  'events',
  'doctor',
  'learning',
  'datasets',
  'success-buffer',
  'release',
  'read-models',
  'embedded-world',
  'verifiers',
  'tensor-graph',
];
const timeAndChance = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Take the time as an argument (kernel Clock at the edge).',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take the time as an argument (kernel Clock at the edge).',
  },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'Take a seeded Random from the kernel as an argument.',
  },
];
const evaluation = [
  { selector: "CallExpression[callee.name='eval']", message: 'Text is data, never code.' },
  { selector: ":matches(NewExpression, CallExpression)[callee.name='Function']", message: 'Text is data, never code.' },
  { selector: "Property[key.name='shell']", message: 'No shell: give the command and its arguments apart.' },
];

const loopsOverTheLog = {
  selector:
    "ForOfStatement[await=true] > CallExpression.right[callee.property.name='read'][callee.object.name='log'], ForOfStatement[await=true] > CallExpression.right[callee.property.name='read'][callee.object.property.name='log']",
  message: 'Read by libs/log-reader, and name what becomes of records that are no events (docs/adr/0048).',
};

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
    files: ['**/*.ts'],
  })),
  {
    files: ['**/*.ts'],
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
      '@typescript-eslint/prefer-for-of': 'off',
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        ...evaluation,
        { selector: 'ExportDefaultDeclaration', message: 'Export by name, so that a thing has one name everywhere.' },
      ],
    },
  },
  {
    files: ['apps/*/src/**/*.ts'],
    // These read what they train on by loops of their own.
    ignores: ['**/*.spec.ts', 'apps/trainer/src/{learning-input,training-history}.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...evaluation,
        { selector: 'ExportDefaultDeclaration', message: 'Export by name, so that a thing has one name everywhere.' },
        loopsOverTheLog,
      ],
    },
  },
  {
    files: pureLibraries.map((name) => `libs/${name}/src/**/*.ts`),
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...evaluation, ...timeAndChance] },
  },
  {
    // A text that a stranger wrote must not stop an event loop: patterns take time in proportion to the text (docs/adr/0029).
    files: ['{libs,apps,infra}/**/*.ts'],
    ignores: [
      '**/*.spec.ts',
      // Run in threads whose processor time is bounded, on texts of bounded length.
      'libs/verifiers/src/math/{answer-form,notation}.ts',
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
);
