// Bare part: the message of a token transfer.
import { buildMessage, encodeBase58 } from '@agent-wallet/solana';
import { randomBytes } from 'node:crypto';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

const address = () => encodeBase58(randomBytes(32));

/** Once a transfer. By our own builder, because the SDK's costs several times as much and would flatter the product. */
export function openBuildMessage() {
  const token = { mint: USDC, tokenProgram: TOKEN_PROGRAM, decimals: 6, createsRecipientAccount: false, memo: '' };
  const value = { recipient: address(), amount: 10_000n, ...token };
  const intent = { wallet: address(), action: { $case: 'transfer', value } };
  const blockhash = address();
  return { name: 'build the message', times: 1, call: () => buildMessage({ intent, blockhash }) };
}
