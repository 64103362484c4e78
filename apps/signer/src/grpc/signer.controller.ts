import { signerV1 } from '@agent-wallet/contracts';
import { Controller, Inject } from '@nestjs/common';
import { CreateKey } from '../application/create-key.js';
import { Sign } from '../application/sign.js';

/** The signer's gRPC surface. */
@Controller()
@signerV1.SignerServiceControllerMethods()
export class SignerController implements signerV1.SignerServiceController {
  constructor(
    @Inject(CreateKey) private readonly creation: CreateKey,
    @Inject(Sign) private readonly signing: Sign,
  ) {}

  async createKey({ agentId }: signerV1.CreateKeyRequest): Promise<signerV1.CreateKeyResponse> {
    return { address: await this.creation.execute(agentId) };
  }

  async sign({ message, permit }: signerV1.SignRequest): Promise<signerV1.SignResponse> {
    return { signature: await this.signing.execute(message, permit) };
  }
}
