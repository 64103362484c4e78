// The package agentwallet.wallet.v1, which is three files.
export { GetWalletRequest, GetWalletResponse } from './generated/agentwallet/wallet/v1/address.js';
export { BalanceChange, Preview } from './generated/agentwallet/wallet/v1/preview.js';
export * from './generated/agentwallet/wallet/v1/wallet.js';
