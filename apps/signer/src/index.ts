export { type SignerSettings, signerSettings } from './settings.js';
export { type SignerSeams, startSigner } from './start.js';
export { signerMigrations } from './migrations.js';
