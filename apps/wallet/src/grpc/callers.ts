import type { walletV1 } from '@agent-wallet/contracts';
import type { CallerLists } from '@agent-wallet/platform';

/** Callers that may use each method. */
export const WALLET_CALLERS: CallerLists<typeof walletV1.WalletServiceService> = {
  createWallet: ['gateway'],
  getWallet: ['swap'],
  getBalances: ['gateway'],
  transfer: ['gateway'],
  dryRunTransfer: ['gateway'],
  unwrap: ['gateway'],
  dryRunUnwrap: ['gateway'],
  getToken: ['gateway', 'swap'],
  move: ['prediction'],
  dryRunMove: ['prediction'],
  getTreasury: ['prediction'],
  getAttestation: ['gateway'],
  getNetwork: ['gateway'],
};
