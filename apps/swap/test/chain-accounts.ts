import { addressBytes, type ChainAccount, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { NATIVE_MINT, type Token } from '../src/domain/tokens.js';

export const TOKEN_RENT = 2_039_280n;

/** The native coin, and a token. */
export const SOL: Token = { mint: NATIVE_MINT, symbol: 'SOL', decimals: 9, tokenProgram: TOKEN_PROGRAM };
export const USDC: Token = {
  ...{ mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6 },
  tokenProgram: TOKEN_PROGRAM,
};
export const BONK: Token = {
  ...{ mint: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263', symbol: 'BONK', decimals: 5 },
  tokenProgram: TOKEN_PROGRAM,
};

/** A wallet's own account. */
export function walletAccount(lamports: bigint, over: Partial<ChainAccount> = {}): ChainAccount {
  return { owner: SYSTEM_PROGRAM, lamports, data: new Uint8Array(), executable: false, ...over };
}

/** What a token account holds, and who may do something with it. */
export interface Holding {
  readonly owner: string;
  readonly mint: string;
  readonly amount: bigint;
  readonly isFrozen?: boolean;
  readonly delegate?: string;
  readonly closeAuthority?: string;
}

/** A token account; one of wrapped SOL holds its amount in lamports, too. */
export function tokenAccount(holding: Holding, lamports = lamportsOf(holding)): ChainAccount {
  const data = Buffer.alloc(165);
  data.set(addressBytes(holding.mint), 0);
  data.set(addressBytes(holding.owner), 32);
  data.writeBigUInt64LE(holding.amount, 64);
  data[108] = holding.isFrozen ? 2 : 1;
  for (const [at, address] of [
    [72, holding.delegate],
    [129, holding.closeAuthority],
  ] as const) {
    if (!address) continue;
    data.writeUInt32LE(1, at);
    data.set(addressBytes(address), at + 4);
  }
  return { owner: TOKEN_PROGRAM, lamports, data, executable: false };
}

function lamportsOf({ mint, amount }: Holding): bigint {
  return TOKEN_RENT + (mint === NATIVE_MINT ? amount : 0n);
}
