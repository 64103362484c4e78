import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'contracts', rootDir: import.meta.dirname };
