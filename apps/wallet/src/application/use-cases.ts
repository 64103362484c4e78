import type { CreateWallet } from './create-wallet.js';
import type { GetAttestation } from './get-attestation.js';
import type { GetBalances } from './get-balances.js';
import type { GetToken } from './get-token.js';
import type { GetTreasury } from './get-treasury.js';
import type { GetWallet } from './get-wallet.js';
import type { Move } from './move.js';
import type { PreviewMove } from './preview-move.js';
import type { PreviewTransfer } from './preview-transfer.js';
import type { PreviewUnwrap } from './preview-unwrap.js';
import type { Transfer } from './transfer.js';
import type { Unwrap } from './unwrap.js';

/** All that the wallet service does for its callers. */
export interface WalletUseCases {
  readonly createWallet: CreateWallet;
  readonly getWallet: GetWallet;
  readonly getBalances: GetBalances;
  readonly transfer: Transfer;
  readonly previewTransfer: PreviewTransfer;
  readonly unwrap: Unwrap;
  readonly previewUnwrap: PreviewUnwrap;
  readonly getToken: GetToken;
  readonly move: Move;
  readonly previewMove: PreviewMove;
  readonly getTreasury: GetTreasury;
  readonly getAttestation: GetAttestation;
}

/** Under which Nest finds them. */
export const WALLET_USE_CASES = Symbol('the use cases of the wallet service');
