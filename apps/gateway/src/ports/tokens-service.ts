import type { policyV1 } from '@agent-wallet/contracts';

/** A scoped token of an agent. */
export interface TokenKey {
  readonly agentId: string;
  readonly tokenId: string;
}

/** The policy service's part of scoped tokens. Every method throws AppError. */
export interface TokensService {
  /** Opens a token. @throws AppError also VALIDATION_ERROR, POLICY_VIOLATION when too many are live */
  open(key: TokenKey, grant: policyV1.TokenGrant): Promise<policyV1.Token>;
  /** Ends a token, and returns the operations that waited for an owner. @throws AppError also NOT_FOUND */
  end(key: TokenKey): Promise<string[]>;
  /** Lists the live tokens of an agent, the oldest first. */
  list(agentId: string): Promise<policyV1.Token[]>;
  /** Binds an operation that has not begun to a token. @throws AppError also POLICY_VIOLATION for a token that policy does not know */
  bind(key: TokenKey, operationId: string): Promise<void>;
}
