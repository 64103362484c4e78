/** The store of agents' wallet addresses. */
export interface WalletStore {
  /** Returns the agent's address; undefined before its first login. @throws AppError */
  find(agentId: string): Promise<string | undefined>;
  /** Stores the address of an agent and publishes it, once. @returns whether it was not kept before. @throws AppError */
  add(agentId: string, address: string): Promise<boolean>;
}
