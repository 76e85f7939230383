import tseslint from 'typescript-eslint';

// Pure libraries decide; they do not look at the world. Each ban says what to do instead.
const pureLibraries = [
  'events',
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
  { selector: "NewExpression[callee.name='Function']", message: 'Text is data, never code.' },
];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/*.generated.ts', 'data/**', '**/*.mjs', '**/*.cjs', '**/*.js'] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
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
    files: pureLibraries.map((name) => `libs/${name}/src/**/*.ts`),
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...evaluation, ...timeAndChance] },
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
