export { type WalletSettings, walletSettings } from './settings.js';
export type { WalletOverrides } from './dependencies.js';
export { startWallet } from './start.js';
export { walletMigrations } from './migrations.js';
