import type { signerV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import type { SignerUseCases } from '../dependencies.js';
import { systemWalletOf, toAttestation, toBoot, toCheckpoints } from './messages.js';

/** Handles the signer's gRPC methods. */
export function signerService(useCases: SignerUseCases): GrpcController<signerV1.SignerServiceService> {
  const { creation, signing, checkpoints, boots } = useCases;
  return {
    createKey: async ({ agentId }) => ({ address: await creation.ofAgent(agentId) }),
    createSystemKey: async ({ wallet }) => ({ address: await creation.ofSystemWallet(systemWalletOf(wallet)) }),
    sign: ({ message, permit, resolvedAddresses }) => signing.execute(message, permit, resolvedAddresses),
    signCheckpoints: async ({ claims }) => toCheckpoints(await checkpoints.execute(claims)),
    attest: async ({ nonce, isPublic }) => {
      const { current } = boots;
      return toAttestation(await current.execute(nonce, isPublic), current.boot);
    },
    getBoot: async ({ ephemeralKey }) => toBoot(await boots.find(ephemeralKey)),
  };
}
