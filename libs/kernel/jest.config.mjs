import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'kernel', rootDir: import.meta.dirname };
