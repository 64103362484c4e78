import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'client', rootDir: import.meta.dirname };
