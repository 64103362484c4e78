export default {
  projects: ['<rootDir>/libs/*/jest.config.mjs', '<rootDir>/apps/*/jest.config.mjs', '<rootDir>/tools/jest.config.mjs'],
  // vm-modules keeps every loaded module graph: workers are replaced when they have grown. That needs two of them.
  globalSetup: '<rootDir>/tools/jest-setup.mjs',
  globalTeardown: '<rootDir>/tools/jest-teardown.mjs',
  maxWorkers: 2,
  workerIdleMemoryLimit: '400MB',
};
