import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'sandbox', rootDir: import.meta.dirname };
