import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'prediction', rootDir: import.meta.dirname };
