import type { walletV1 } from '@agent-wallet/contracts';

/** The wallet service. Methods throw AppError. */
export interface WalletService {
  /** The address of an agent's wallet, made when there is none. */
  createWallet(agentId: string): Promise<string>;
  balances(agentId: string): Promise<walletV1.GetBalancesResponse>;
  /** Resolves when the service can be reached. @throws AppError SERVICE_UNAVAILABLE: nothing was sent */
  reach(): Promise<void>;
  /**
   * Sends money, or says what became of the operation.
   * @throws OutcomeUnknown when there was no answer. An AppError is the operation's definite failure
   */
  transfer(request: walletV1.TransferRequest, deadlineMs: number): Promise<walletV1.TransferResponse>;
  /** Makes SOL of wrapped SOL, or says what became of the operation. @throws as transfer does */
  unwrap(request: walletV1.UnwrapRequest, deadlineMs: number): Promise<walletV1.UnwrapResponse>;
  /** What a transfer would come to; nothing happens. */
  previewTransfer(request: walletV1.PreviewTransferRequest): Promise<walletV1.PreviewTransferResponse>;
  /** What an unwrap would come to; nothing happens. */
  previewUnwrap(request: walletV1.PreviewUnwrapRequest): Promise<walletV1.PreviewUnwrapResponse>;
  /** What is known of a token, by its symbol or mint; undefined for one that is not known. */
  token(query: string): Promise<walletV1.GetTokenResponse | undefined>;
  /** What every replica of the signer says for a nonce. @throws AppError SERVICE_UNAVAILABLE when none answers */
  attestation(nonce: Buffer): Promise<walletV1.GetAttestationResponse>;
}
