import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'operations', rootDir: import.meta.dirname };
