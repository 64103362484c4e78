import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'policy', rootDir: import.meta.dirname };
