import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'solana', rootDir: import.meta.dirname };
