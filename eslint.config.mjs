// Rules for real bugs that need no types, and size limits. Rules that need types are in .oxlintrc.json, boundaries in
// .dependency-cruiser.cjs. tools/lint.mjs runs all; tools/lint/boundary-canary.mjs breaks the rules and expects to be caught.
import tseslint from 'typescript-eslint';

const TESTS = ['**/*.spec.ts', '**/test/**/*.ts', '**/src/testing/**/*.ts', 'libs/testing/**/*.ts'];

/** Where a process reads its environment: once, at start, into typed settings. */
const ENVIRONMENT_READERS = ['libs/platform/src/settings/**', 'apps/*/src/{main,demo,processes}.ts'];

const CLOCK = 'Take the time from the Clock of the kernel; measure durations with performance.now().';
const TEXT_TO_AMOUNT = 'Read amounts from their text with parseAmount or parseUsd.';

const SIZE = {
  'max-lines': ['error', { max: 400 }],
  'max-lines-per-function': ['error', { max: 50, skipComments: true }],
  'max-params': ['error', 4],
};

const EXCHANGE_SDK = 'It signs every request of the process, to any host: libs/kalshi speaks to the exchange.';

const NEW_DATE = { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: CLOCK };

/** Every statement passes here, whether it goes to a pool, a transaction or a client of `pg`. */
const SQL = {
  selector: "CallExpression:matches([callee.property.name='query'], [callee.name='query'])",
  message: 'SQL stands in adapters: the application declares a port, and an adapter carries it out.',
};

/** What makes amounts inexact, time untestable, or settings appear from nowhere, and what gives keys away. */
const RESTRICTED = {
  'no-restricted-imports': [
    'error',
    { paths: ['kalshi-typescript', 'axios'].map((name) => ({ name, message: EXCHANGE_SDK })) },
  ],
  'no-restricted-globals': ['error', { name: 'parseFloat', message: TEXT_TO_AMOUNT }],
  'no-restricted-properties': [
    'error',
    { object: 'process', property: 'env', message: 'Settings are read once, at start, into a typed object.' },
    { object: 'Number', property: 'parseFloat', message: TEXT_TO_AMOUNT },
    { object: 'Date', property: 'now', message: CLOCK },
    { object: 'Math', property: 'random', message: 'Ids come from newId(), secrets from node:crypto.' },
  ],
  'no-restricted-syntax': ['error', NEW_DATE],
};

const NODE_GLOBALS = [
  'process',
  'console',
  'performance',
  'setTimeout',
  'clearTimeout',
  'URL',
  'Buffer',
  'fetch',
].concat(
  ['require', 'module', '__dirname'], // of the CommonJS files
);

export default tseslint.config(
  { ignores: ['**/dist/**', '{apps,libs}/*/bundle/**', '**/generated/**', '**/node_modules/**', '**/coverage/**'] },
  {
    files: ['libs/**/*.ts', 'apps/**/*.{ts,tsx}', 'tools/**/*.ts'],
    extends: [tseslint.configs.recommended],
    languageOptions: { parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true } },
    // Nothing is switched off from within a file: a rule that does not fit is changed here.
    linterOptions: { noInlineConfig: true },
    rules: {
      ...SIZE,
      ...RESTRICTED,
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['tools/**/*.{mjs,cjs}', '*.{mjs,cjs}'],
    languageOptions: { globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, 'readonly'])) },
    rules: { ...SIZE, 'no-undef': 'error', 'no-unused-vars': 'error', eqeqeq: 'error' },
  },
  // A controller's constructor lists the use cases that it serves.
  { files: ['apps/*/src/{grpc,http}/**/*controller.ts'], rules: { 'max-params': 'off' } },
  { files: ENVIRONMENT_READERS, rules: { 'no-restricted-properties': 'off' } },
  { files: ['libs/{kernel,client}/src/clock.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['apps/*/src/**/*.ts'],
    ignores: ['apps/*/src/adapters/**', 'apps/{sandbox,standalone}/**'],
    rules: { 'no-restricted-syntax': ['error', NEW_DATE, SQL] },
  },
  {
    files: TESTS,
    rules: {
      'max-lines-per-function': 'off',
      'no-restricted-imports': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-syntax': 'off',
    },
  },
);
