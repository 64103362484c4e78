import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'attestation', rootDir: import.meta.dirname };
