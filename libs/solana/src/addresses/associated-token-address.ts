import { createHash } from 'node:crypto';
import { RecentlyUsed } from '@agent-wallet/kernel';
import { addressBytes, addressOf } from './address.js';
import { isCurvePoint } from './curve.js';
import { ASSOCIATED_TOKEN_PROGRAM, type TokenProgram } from './programs.js';

const PDA_MARKER = Buffer.from('ProgramDerivedAddress');
const ASSOCIATED_TOKEN_PROGRAM_BYTES = addressBytes(ASSOCIATED_TOKEN_PROGRAM);

/** Two a transfer, the sender's and the recipient's; about 0.3 kB each. */
const derived = new RecentlyUsed<string>(50_000);

/** The account in which a wallet holds a token unless it chose another one. */
export interface TokenHolding {
  /** Address of the wallet. */
  readonly owner: string;
  readonly mint: string;
  /** The program that owns the mint. */
  readonly tokenProgram: TokenProgram;
}

/**
 * Returns the associated token account of a wallet and a mint. The search costs about 0.1 ms, so recent results are
 * cached.
 * @throws TypeError when a text is not an address
 */
export function associatedTokenAddress({ owner, mint, tokenProgram }: TokenHolding): string {
  return derived.useOrMake(`${owner} ${mint} ${tokenProgram}`, () => {
    const seeds = [addressBytes(owner), addressBytes(tokenProgram), addressBytes(mint)];
    return addressOf(programDerivedAddress(seeds, ASSOCIATED_TOKEN_PROGRAM_BYTES));
  });
}

/**
 * Derives an address owned by a program: the first hash of the seeds, from bump 255 down, that is not a point of the
 * curve.
 */
export function programDerivedAddress(seeds: readonly Uint8Array[], program: Uint8Array): Uint8Array {
  for (let bump = 255; bump > 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const address = hash.update(Uint8Array.of(bump)).update(program).update(PDA_MARKER).digest();
    if (!isCurvePoint(address)) return address;
  }
  throw new RangeError('no program-derived address');
}
