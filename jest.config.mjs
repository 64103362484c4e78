export default {
  projects: ['<rootDir>/libs/*/jest.config.mjs', '<rootDir>/apps/*/jest.config.mjs', '<rootDir>/tools/jest.config.mjs'],
  globalSetup: '<rootDir>/tools/jest/setup.mjs',
  globalTeardown: '<rootDir>/tools/jest/teardown.mjs',
  // Tests with a Postgres or a process of their own take seconds on a busy machine; none should ever take this long.
  testTimeout: 60_000,
  testSequencer: '<rootDir>/tools/jest/sequencer.mjs',
  // As many as the cores of continuous integration, because many a test starts several processes beside itself: with
  // twice as many, these met their time-outs. No test may depend on how soon its turn comes.
  maxWorkers: 2,
};
