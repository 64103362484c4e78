import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'audit', rootDir: import.meta.dirname };
