import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'wallet', rootDir: import.meta.dirname };
