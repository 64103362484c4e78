/** Makes agents' keys. */
export interface KeyMaker {
  /** Returns the address of the agent's key, which is created when there is none. @throws AppError, RpcFailure */
  createKey(agentId: string): Promise<string>;
}
