import type { walletV1 } from '@agent-wallet/contracts';
import type { CallerLists } from '@agent-wallet/platform';

/** Who may call what. */
export const WALLET_CALLERS: CallerLists<typeof walletV1.WalletServiceService> = {
  createWallet: ['gateway'],
  getWallet: ['swap'],
  getBalances: ['gateway'],
  transfer: ['gateway'],
  previewTransfer: ['gateway'],
  unwrap: ['gateway'],
  previewUnwrap: ['gateway'],
  getToken: ['gateway', 'swap'],
  move: ['prediction'],
  previewMove: ['prediction'],
  getTreasury: ['prediction'],
  getAttestation: ['gateway'],
};
