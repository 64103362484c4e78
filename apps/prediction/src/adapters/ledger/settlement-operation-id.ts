import { v5 as uuidV5 } from 'uuid';

/** Any UUID: the names under it are of an agent and a market. */
const NAMESPACE = '6f1f0c1a-5a5e-5d0b-9d8a-0c6a3b1f7e21';

/** Returns the operation ID under which history shows that a market paid an agent: always the same. */
export function settlementOperationId(ticker: string, agentId: string): string {
  return uuidV5(`${agentId}:${ticker}`, NAMESPACE);
}
