import type { signerV1 } from '@agent-wallet/contracts';
import type { Checkpoint } from '@agent-wallet/contracts/audit';
import type { RpcClient } from '@agent-wallet/platform';
import type { CheckpointSigner, Growth } from '../ports/checkpoint-store.js';

type Signer = Pick<RpcClient<typeof signerV1.SignerServiceService>, 'signCheckpoints'>;

/** The signer service. */
export class GrpcCheckpointSigner implements CheckpointSigner {
  constructor(private readonly signer: Signer) {}

  async sign(claims: readonly Growth[]): Promise<readonly Checkpoint[]> {
    const { keyId, signedAtMs, signatures } = await this.signer.signCheckpoints({
      claims: claims.map(({ scope, size, rootHash }) => ({
        scope,
        size: BigInt(size),
        rootHash: Buffer.from(rootHash),
      })),
    });
    if (signatures.length !== claims.length) throw new Error('the signer has not signed every claim');
    return claims.map((claim, n) => ({ ...claim, keyId, signedAtMs: Number(signedAtMs), signature: signatures[n]! }));
  }
}
