export { type SignerSettings, signerSettings } from './settings.js';
export { type SignerOverrides, startSigner } from './start.js';
export { signerMigrations } from './migrations.js';
