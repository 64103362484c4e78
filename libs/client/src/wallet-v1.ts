// The package agentwallet.wallet.v1, which is six files.
export { GetWalletRequest, GetWalletResponse } from './generated/agentwallet/wallet/v1/address.js';
export {
  Escrow,
  GetTreasuryRequest,
  GetTreasuryResponse,
  MoveRequest,
  MoveResponse,
  Payout,
  PreviewMoveRequest,
} from './generated/agentwallet/wallet/v1/move.js';
export { GetAttestationRequest, GetAttestationResponse } from './generated/agentwallet/wallet/v1/attestation.js';
export { OperationState } from './generated/agentwallet/wallet/v1/operation_state.js';
export { BalanceChange, Preview } from './generated/agentwallet/wallet/v1/preview.js';
export * from './generated/agentwallet/wallet/v1/wallet.js';
