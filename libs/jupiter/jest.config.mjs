import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'jupiter', rootDir: import.meta.dirname };
