import { fileURLToPath } from 'node:url';
import { ignoredFiles } from './tools/jest/lanes.mjs';

const ofTools = (file) => fileURLToPath(new URL(`./tools/jest/${file}`, import.meta.url));

/** Test files in TypeScript, run by Node's own module loader: see tools/jest/runner.mjs. */
export default {
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...ignoredFiles(process.env)],
  runner: ofTools('runner.mjs'),
  transform: {},
};

/** For tests that start services as processes: bundled, one starts with a third of the CPU. */
export const withBundles = { globalSetup: ofTools('setup-bundles.mjs') };
