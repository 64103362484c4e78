import { addressOf } from '@agent-wallet/solana';
import { generateKeyPairSync } from 'node:crypto';

/** A fresh wallet address that nobody in the test holds. */
export function newRecipient(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  return addressOf(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32));
}
