import type { walletV1 } from '@agent-wallet/contracts';

/** Wallets and tokens that the wallet service knows. A generated client fits. */
export interface WalletDirectory {
  /** @throws AppError NOT_FOUND for an agent without a wallet; RpcFailure */
  getWallet(request: walletV1.GetWalletRequest): Promise<walletV1.GetWalletResponse>;
  /** @throws AppError NOT_FOUND for a token that is not known; RpcFailure */
  getToken(request: walletV1.GetTokenRequest): Promise<walletV1.GetTokenResponse>;
}
