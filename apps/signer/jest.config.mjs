import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'signer', rootDir: import.meta.dirname };
