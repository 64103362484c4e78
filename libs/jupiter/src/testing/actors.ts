import { addressOf, associatedTokenAddress, TOKEN_PROGRAM, type TokenProgram } from '@agent-wallet/solana/checks';
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';

const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

const derived = new Map<string, string>();

/** Derives a wallet address from a name, identical in every run. */
export function walletOf(name: string): string {
  const known = derived.get(name) ?? derive(name);
  derived.set(name, known);
  return known;
}

function derive(name: string): string {
  const seed = createHash('sha256').update(name).digest();
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  return addressOf(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
}

/** The parties of the corpus beside the wallet. */
export const THIEF = walletOf('thief');
export const MAKER = walletOf('maker');
export const SPONSOR = walletOf('sponsor');
export const UNKNOWN_PROGRAM = walletOf('unknown program');
export const SOME_2022_MINT = walletOf('mint of token-2022');
export const OTHER_MINT = walletOf('other mint');

/** Returns an account of a venue. */
export const venueOf = (name: string): string => walletOf(`venue ${name}`);

/** Returns the associated token account of an owner. */
export function tokenAccountOf(owner: string, mint: string, tokenProgram: TokenProgram = TOKEN_PROGRAM): string {
  return associatedTokenAddress({ owner, mint, tokenProgram });
}
