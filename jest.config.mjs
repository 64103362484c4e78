export default {
  projects: ['<rootDir>/libs/*/jest.config.mjs', '<rootDir>/apps/*/jest.config.mjs', '<rootDir>/tools/jest.config.mjs'],
  globalSetup: '<rootDir>/tools/jest/setup.mjs',
  globalTeardown: '<rootDir>/tools/jest/teardown.mjs',
  // Ends a test that hangs. It is far above what any test takes, so that a busy machine meets no limit: a test that must not
  // take long counts calls or rounds, and reads no clock.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/tools/jest/sequencer.mjs',
  // Two lanes (tools/jest/lanes.mjs), for the two cores of continuous integration.
  maxWorkers: 2,
};
