import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'prices', rootDir: import.meta.dirname };
