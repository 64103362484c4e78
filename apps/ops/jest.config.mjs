import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'ops', rootDir: import.meta.dirname };
