// The package agentwallet.wallet.v1, which is two files.
export { BalanceChange, Preview } from './generated/agentwallet/wallet/v1/preview.js';
export * from './generated/agentwallet/wallet/v1/wallet.js';
