export { type SignerSettings, signerSettings } from './settings.js';
export type { SignerOverrides } from './dependencies.js';
export { startSigner } from './start.js';
export { signerMigrations } from './migrations.js';
