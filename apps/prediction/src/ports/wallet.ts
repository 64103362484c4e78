import type { walletV1 } from '@agent-wallet/contracts';

/** Time limit of a call. */
interface Waiting {
  readonly deadlineMs: number;
}

/** The wallet service, which moves what has to move on chain. A generated client fits. */
export interface Wallet {
  /**
   * Carries out one attempt of one chain step, however often it is called.
   * @throws AppError the wallet's own answer; RpcFailure when it is unknown whether the wallet got it
   */
  move(request: walletV1.MoveRequest, waiting: Waiting): Promise<walletV1.MoveResponse>;
  /** @throws AppError as move would, but a refusal by policy is in the answer; RpcFailure */
  dryRunMove(request: walletV1.DryRunMoveRequest): Promise<walletV1.DryRunMoveResponse>;
  /** @throws AppError, RpcFailure */
  getTreasury(request: walletV1.GetTreasuryRequest): Promise<walletV1.GetTreasuryResponse>;
}
