/** Makes agents' keys. */
export interface KeyMaker {
  /** The address of the agent's key, which is made when there is none. @throws AppError, RpcFailure */
  createKey(agentId: string): Promise<string>;
}
