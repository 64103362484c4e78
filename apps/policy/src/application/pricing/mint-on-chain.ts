import { AppError } from '@agent-wallet/kernel';
import type { Mint } from '@agent-wallet/solana';
import type { PolicyChain } from '../../ports/chain.js';

/** Mint as an intent describes it. */
interface NamedMint {
  readonly mint: string;
  readonly tokenProgram: string;
  /** Undefined where the intent does not say. */
  readonly decimals?: number;
}

/**
 * Reads a mint from the chain.
 * @param fields what the intent calls what it says, for the error
 * @throws AppError VALIDATION_ERROR when the intent does not fit it; UPSTREAM_ERROR and UPSTREAM_TIMEOUT
 */
export async function mintOnChain(
  chain: PolicyChain,
  { mint: address, tokenProgram, decimals }: NamedMint,
  fields: { readonly [Field in keyof NamedMint]: string },
): Promise<Mint> {
  const mint = await chain.mint(address);
  if (!mint) throw AppError.field(fields.mint, 'is not a mint on chain');
  if (mint.tokenProgram !== tokenProgram) {
    throw AppError.field(fields.tokenProgram, 'is not the program that owns the mint');
  }
  if (decimals !== undefined && mint.decimals !== decimals) {
    throw AppError.field(fields.decimals ?? fields.mint, 'are not the decimals of the mint');
  }
  return mint;
}
