export default {
  projects: ['<rootDir>/libs/*/jest.config.mjs', '<rootDir>/apps/*/jest.config.mjs', '<rootDir>/tools/jest.config.mjs'],
  globalSetup: '<rootDir>/tools/jest/setup.mjs',
  globalTeardown: '<rootDir>/tools/jest/teardown.mjs',
  // Tests with a Postgres or a process of their own take seconds on a busy machine; none should ever take this long.
  testTimeout: 60_000,
  testSequencer: '<rootDir>/tools/jest/sequencer.mjs',
  // vm-modules keeps every loaded module graph: workers are replaced when they have grown. That needs two of them. With
  // more than there are cores, tests of what happens within a time come late.
  maxWorkers: 2,
  workerIdleMemoryLimit: '400MB',
};
