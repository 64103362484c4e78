// What agents ask for, as services see it.
import { encodeBase58 } from '@agent-wallet/solana';
import { generateKeyPairSync } from 'node:crypto';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** The address of a wallet outside. */
export function newAddress() {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return encodeBase58(Buffer.from(x, 'base64url'));
}

/** The intent of a transfer of USDC to an account that is there. */
export function transferIntent({ wallet = newAddress(), recipient = newAddress(), amount = 10_000n } = {}) {
  const token = { mint: USDC, tokenProgram: TOKEN_PROGRAM, decimals: 6, createsRecipientAccount: false, memo: '' };
  return { wallet, action: { $case: 'transfer', value: { recipient, amount, ...token } } };
}
