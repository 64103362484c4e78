import { TOKEN_2022_PROGRAM } from '../addresses/programs.js';
import type { Mint } from './solana-chain.js';

const TOKEN_ACCOUNT_BYTES = 165;
/** Associated accounts of Token-2022 say what they are (1), and that their owner never changes (4). */
const TOKEN_2022_EXTRA_BYTES = 1 + 4;
/** What an account must have beside it because of its mint: a header of 4 bytes and the value. */
const ACCOUNT_EXTENSION_BYTES: Readonly<Record<string, number>> = {
  transferFeeConfig: 4 + 8,
  nonTransferable: 4,
  transferHook: 4 + 1,
  pausable: 4,
};
/** For an extension that is not known yet: rather too much than too little. */
const UNKNOWN_EXTENSION_BYTES = 64;

/** Bytes of a new associated token account of a mint. */
export function tokenAccountBytes({ tokenProgram, extensions }: Pick<Mint, 'tokenProgram' | 'extensions'>): number {
  if (tokenProgram !== TOKEN_2022_PROGRAM) return TOKEN_ACCOUNT_BYTES;
  const extra = extensions.map((name) =>
    name.startsWith('unknown:') ? UNKNOWN_EXTENSION_BYTES : (ACCOUNT_EXTENSION_BYTES[name] ?? 0),
  );
  return extra.reduce((sum, bytes) => sum + bytes, TOKEN_ACCOUNT_BYTES + TOKEN_2022_EXTRA_BYTES);
}
