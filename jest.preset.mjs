import { fileURLToPath } from 'node:url';

const ofTools = (file) => fileURLToPath(new URL(`./tools/jest/${file}`, import.meta.url));

/** Test files in TypeScript, run by Node's own module loader: see tools/jest/runner.mjs. */
export default {
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  // Files of the nightly lane run in `npm run nightly` only, or by name with NIGHTLY=1.
  testPathIgnorePatterns: ['/node_modules/', ...(process.env.NIGHTLY === '1' ? [] : ['\\.nightly\\.spec\\.'])],
  runner: ofTools('runner.mjs'),
  transform: {},
};

/** For tests that start services as processes: bundled, one starts with a third of the CPU. */
export const withBundles = { globalSetup: ofTools('setup-bundles.mjs') };
