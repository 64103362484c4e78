import { addressOf } from '@agent-wallet/solana';
import { generateKeyPairSync } from 'node:crypto';
import type { Deployment } from './deployment.js';

/** A fresh wallet address, whose key the test does not keep. */
export function newRecipient(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  return addressOf(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32));
}

/** Base units of USDC that came after the one USDC of the faucet. */
export async function received({ sandbox }: Deployment, recipient: string): Promise<bigint> {
  return (await sandbox.balanceRaw(recipient, 'USDC')) - 1_000_000n;
}
