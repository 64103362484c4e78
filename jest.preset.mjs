import { fileURLToPath } from 'node:url';

/** Test files in TypeScript, run by Node's own module loader: see tools/jest/runner.mjs. */
export default {
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  runner: fileURLToPath(new URL('./tools/jest/runner.mjs', import.meta.url)),
  transform: {},
};
