import { fileURLToPath } from 'node:url';

/** ESM mode. No CommonJS package that require()s Nest may be imported on Node 20. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  resolver: fileURLToPath(new URL('./tools/jest-resolver.cjs', import.meta.url)),
  testEnvironmentOptions: { customExportConditions: ['@agent-wallet/source', 'node', 'node-addons'] },
};
