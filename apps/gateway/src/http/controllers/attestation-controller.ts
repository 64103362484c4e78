import { Controller, Header, Inject } from '@nestjs/common';
import { attestationAnswer } from '../../application/answers/attestation-answer.js';
import type { WalletService } from '../../ports/wallet-service.js';
import { attestationRoute } from '../contract/attestation-route.js';
import type { InputOf } from '../contract/route.js';
import type { Answer } from '../envelope.js';
import { Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

/** What guards the keys. */
@Controller()
export class AttestationController {
  constructor(@Inject(TOKENS.wallet) private readonly wallet: WalletService) {}

  @Serves(attestationRoute)
  @Header('cache-control', 'no-store')
  async attestation(@Input() { query }: InputOf<typeof attestationRoute>): Promise<Answer> {
    const nonce = Buffer.from(query.nonce, 'hex');
    const data = attestationAnswer(nonce, await this.wallet.attestation(nonce));
    const isSoftware = data.driver === 'software';
    const message = isSoftware
      ? 'Software mode: nothing but a file guards the keys, and this evidence proves nothing.'
      : 'What guards the keys.';
    return { message, data };
  }
}
