import preset, { withBundles } from '../../jest.preset.mjs';

export default {
  ...preset,
  displayName: 'standalone',
  rootDir: import.meta.dirname,
  ...withBundles,
};
