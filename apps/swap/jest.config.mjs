import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'swap', rootDir: import.meta.dirname };
