export { type WalletSettings, walletSettings } from './settings.js';
export { startWallet, type WalletSeams } from './start.js';
export { walletMigrations } from './migrations.js';
