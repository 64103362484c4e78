import type { signerV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { Boots } from '../application/boots.js';
import { CreateKey } from '../application/create-key.js';
import { Sign } from '../application/sign.js';
import { SignCheckpoints } from '../application/sign-checkpoints.js';
import { systemWalletOf, toAttestation, toBoot, toCheckpoints } from './messages.js';

/** The signer's gRPC surface. */
@Controller()
export class SignerController implements GrpcController<signerV1.SignerServiceService> {
  constructor(
    @Inject(CreateKey) private readonly creation: CreateKey,
    @Inject(Sign) private readonly signing: Sign,
    @Inject(SignCheckpoints) private readonly checkpoints: SignCheckpoints,
    @Inject(Boots) private readonly boots: Boots,
  ) {}

  async createKey({ agentId }: signerV1.CreateKeyRequest): Promise<signerV1.CreateKeyResponse> {
    return { address: await this.creation.ofAgent(agentId) };
  }

  async createSystemKey({ wallet }: signerV1.CreateSystemKeyRequest): Promise<signerV1.CreateSystemKeyResponse> {
    return { address: await this.creation.ofSystemWallet(systemWalletOf(wallet)) };
  }

  async sign({ message, permit, resolvedAddresses }: signerV1.SignRequest): Promise<signerV1.SignResponse> {
    return this.signing.execute(message, permit, resolvedAddresses);
  }

  async signCheckpoints({ claims }: signerV1.SignCheckpointsRequest): Promise<signerV1.SignCheckpointsResponse> {
    return toCheckpoints(await this.checkpoints.execute(claims));
  }

  async attest({ nonce, isPublic }: signerV1.AttestRequest): Promise<signerV1.AttestResponse> {
    const { current } = this.boots;
    return toAttestation(await current.execute(nonce, isPublic), current.boot);
  }

  async getBoot({ ephemeralKey }: signerV1.GetBootRequest): Promise<signerV1.GetBootResponse> {
    return toBoot(await this.boots.find(ephemeralKey));
  }
}
