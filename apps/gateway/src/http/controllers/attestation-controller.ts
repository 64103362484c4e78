import { Controller, Header, Inject } from '@nestjs/common';
import { attestationResponse } from '../../application/responses/attestation-response.js';
import { WalletService } from '../../ports/services.js';
import { attestationRoute } from '../contract/attestation-route.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import { Input, Serves } from '../serves.js';

/** What guards the keys. */
@Controller()
export class AttestationController {
  constructor(@Inject(WalletService) private readonly wallet: WalletService) {}

  @Serves(attestationRoute)
  @Header('cache-control', 'no-store')
  async attestation(@Input() { query }: InputOf<typeof attestationRoute>): Promise<HandlerResponse> {
    const nonce = Buffer.from(query.nonce, 'hex');
    const data = attestationResponse(nonce, await this.wallet.attestation(nonce));
    const isSoftware = data.driver === 'software';
    const message = isSoftware
      ? 'Software mode: nothing but a file guards the keys, and this evidence proves nothing.'
      : 'What guards the keys.';
    return { message, data };
  }
}
