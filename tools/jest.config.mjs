import preset from '../jest.preset.mjs';

const testMatch = ['<rootDir>/**/*.spec.{ts,mjs}'];

export default { ...preset, displayName: 'tools', rootDir: import.meta.dirname, testMatch };
