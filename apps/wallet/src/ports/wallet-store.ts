/** Where the addresses of agents' wallets are kept. */
export interface WalletStore {
  /** The agent's address; undefined before its first login. @throws AppError */
  find(agentId: string): Promise<string | undefined>;
  /** Keeps the address of an agent and tells history, once. @returns whether it was not kept before. @throws AppError */
  add(agentId: string, address: string): Promise<boolean>;
}
