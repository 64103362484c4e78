import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'events', rootDir: import.meta.dirname };
