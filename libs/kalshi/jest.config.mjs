import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'kalshi', rootDir: import.meta.dirname };
