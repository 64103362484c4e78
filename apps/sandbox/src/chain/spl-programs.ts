import { readFileSync } from 'node:fs';
import { key, type Key } from '../encoding/keys.js';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.js';

/** A program of Solana's program library, as validators bring it. */
interface SplProgram {
  readonly id: Key;
  /** Names its file in `programs/agave`. */
  readonly name: string;
  readonly version: string;
  readonly loader: Key;
}

const UPGRADEABLE = key('BPFLoaderUpgradeab1e11111111111111111111111');
/** A loader whose programs never change. */
const IMMUTABLE = key('BPFLoader2111111111111111111111111111111111');

/**
 * The programs that Agave 4.2.2 puts into a new ledger. The virtual machine brings others: its memo program at the address of
 * 3.0.0 is 4.0.0, which takes a hundredth of the compute units, so that a limit too low for the real one passed here.
 */
export const SPL_PROGRAMS: readonly SplProgram[] = [
  { id: TOKEN_PROGRAM, name: 'spl_p_token', version: '1.0.0', loader: UPGRADEABLE },
  { id: TOKEN_2022_PROGRAM, name: 'spl_token_2022', version: '10.0.0', loader: UPGRADEABLE },
  { id: ASSOCIATED_TOKEN_PROGRAM, name: 'spl_associated_token_account', version: '1.1.1', loader: IMMUTABLE },
  {
    id: key('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    name: 'spl_memo',
    version: '3.0.0',
    loader: IMMUTABLE,
  },
  {
    id: key('Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH'),
    name: 'spl_memo',
    version: '4.0.0',
    loader: UPGRADEABLE,
  },
];

/** Reads a program's code. */
export function readSplProgram({ name, version }: SplProgram): Uint8Array {
  return readFileSync(new URL(`../../programs/agave/${name}-${version}.so`, import.meta.url));
}
