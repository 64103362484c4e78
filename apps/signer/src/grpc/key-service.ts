import type { signerV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import type { SignerUseCases } from '../dependencies.js';
import { toKeysDescription, toRewrapped } from './messages.js';

/** Handles the operators' gRPC methods on data keys. */
export function keyService(useCases: SignerUseCases): GrpcController<signerV1.KeyServiceService> {
  const { description, dataKeys, rewrapping, retirement } = useCases;
  return {
    describeKeys: async () => toKeysDescription(await description.execute()),
    addDataKey: async () => ({ version: await dataKeys.add() }),
    rewrapKeys: async ({ max, after }) => toRewrapped(await rewrapping.execute(max, after)),
    retireDataKeys: async () => ({ versions: [...(await retirement.execute())] }),
  };
}
