import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'telemetry', rootDir: import.meta.dirname };
