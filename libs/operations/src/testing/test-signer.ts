import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { intentV1, signerV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { addressOf } from '@agent-wallet/solana';
import type { OperationSigner } from '../runtime/operation-runtime.js';

/** Decisions of a test's signer. */
export interface TestSignerOptions {
  /** The intent that was permitted under a permit's claims. */
  readonly intentOf: (claims: Buffer) => intentV1.Intent | undefined;
  /** The check of messages. @throws AppError for one that must not be signed */
  readonly check: (request: signerV1.SignRequest, intent: intentV1.Intent) => void;
}

/** The keys of a test's agents and operator; signs as the real one does: what the check passes, under the permitted intent. */
export class TestSigner implements OperationSigner {
  /** Hashes of every message that was signed. */
  readonly signed = new Set<string>();
  readonly #keys = new Map<string, KeyObject>();

  constructor(private readonly options: TestSignerOptions) {}

  /** Creates a new key. @returns its address */
  newKey(): string {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const address = addressOf(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
    this.#keys.set(address, privateKey);
    return address;
  }

  async sign(request: signerV1.SignRequest): Promise<signerV1.SignResponse> {
    const { message, permit } = request;
    const hash = createHash('sha256').update(message).digest();
    const intent = this.options.intentOf(permit!.claims);
    if (!intent || !permit!.signature.equals(hash)) throw new AppError('SIGNING_REFUSED');
    this.options.check(request, intent);
    this.signed.add(hash.toString('hex'));
    const { action, wallet, sponsor } = intent;
    const signed = (address: string) => sign(null, message, this.#keys.get(address)!);
    const own = signed(action?.$case === 'payout' ? action.value.treasury : wallet);
    return sponsor === undefined ? { signature: own } : { signature: own, sponsorSignature: signed(sponsor) };
  }
}
