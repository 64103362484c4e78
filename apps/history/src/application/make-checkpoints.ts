import type { Checkpoint } from '@agent-wallet/contracts/audit';
import type { CheckpointSigner, CheckpointStore, Growth } from '../ports/checkpoint-store.js';

/** Most claims that the signer takes in one call. */
const CLAIMS_PER_CALL = 500;

/** Has the growth of the log and of its agents' chains signed. */
export class MakeCheckpoints {
  constructor(
    private readonly store: CheckpointStore,
    private readonly signer: CheckpointSigner,
  ) {}

  /** Signs one stretch of the log. @returns whether there is more to do at once */
  async execute(): Promise<boolean> {
    return this.store.extend(async (claims) => {
      const signed: Checkpoint[] = [];
      for (const call of inCalls(claims)) signed.push(...(await this.signer.sign(call)));
      return signed;
    });
  }
}

function inCalls(claims: readonly Growth[]): Growth[][] {
  const calls = Math.ceil(claims.length / CLAIMS_PER_CALL);
  return Array.from({ length: calls }, (_, n) => claims.slice(n * CLAIMS_PER_CALL, (n + 1) * CLAIMS_PER_CALL));
}
