import preset from '../../jest.preset.mjs';

export default {
  ...preset,
  displayName: 'standalone',
  rootDir: import.meta.dirname,
  globalSetup: '<rootDir>/../../tools/jest/setup-bundles.mjs',
};
