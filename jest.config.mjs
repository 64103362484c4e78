export default {
  projects: ['<rootDir>/libs/*/jest.config.mjs', '<rootDir>/apps/*/jest.config.mjs', '<rootDir>/tools/jest.config.mjs'],
  globalSetup: '<rootDir>/tools/jest/setup.mjs',
  globalTeardown: '<rootDir>/tools/jest/teardown.mjs',
  // Ends a test that hangs. It is far above what any test takes, so that a busy machine meets no limit: a test that must not
  // take long counts calls or rounds, and reads no clock.
  testTimeout: 300_000 * Number(process.env.PROPERTY_RUNS_FACTOR ?? 1),
  testSequencer: '<rootDir>/tools/jest/sequencer.mjs',
  // One for what starts systems and three for the rest (tools/jest/lanes.mjs), on the two cores of continuous integration: most
  // tests wait for timers and replies, so that two workers leave the cores idle for half of the time.
  maxWorkers: 4,
};
