import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'history', rootDir: import.meta.dirname };
