export { type WalletSettings, walletSettings } from './settings.js';
export { startWallet, type WalletOverrides } from './start.js';
export { walletMigrations } from './migrations.js';
