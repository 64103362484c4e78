import { key } from '../encoding/keys.js';

/** The programs the sandbox itself has to recognise. */
export const SYSTEM_PROGRAM = key('11111111111111111111111111111111');
export const TOKEN_PROGRAM = key('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_2022_PROGRAM = key('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
export const ASSOCIATED_TOKEN_PROGRAM = key('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
export const COMPUTE_BUDGET_PROGRAM = key('ComputeBudget111111111111111111111111111111');
export const LOOKUP_TABLE_PROGRAM = key('AddressLookupTab1e1111111111111111111111111');
export const MEMO_PROGRAMS = new Set([
  key('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  key('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'),
  key('Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH'),
]);
export const NATIVE_MINT = key('So11111111111111111111111111111111111111112');

/** Programs whose default compute budget is 3 000 units an instruction (everything else: 200 000). */
export const BUILTIN_PROGRAMS = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  key('Vote111111111111111111111111111111111111111'),
  key('BPFLoaderUpgradeab1e11111111111111111111111'),
  key('BPFLoader2111111111111111111111111111111111'),
  key('BPFLoader1111111111111111111111111111111111'),
  key('LoaderV411111111111111111111111111111111111'),
]);

/** Programs whose instructions carry signatures to check; each of those costs like a transaction's signature. */
export const PRECOMPILES = new Set([
  key('Ed25519SigVerify111111111111111111111111111'),
  key('KeccakSecp256k11111111111111111111111111111'),
  key('Secp256r1SigVerify1111111111111111111111111'),
]);

/** Whether an account belongs to one of the two token programs. */
export function isTokenProgram(owner: string): boolean {
  return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;
}

/** What jsonParsed calls the program. */
export function tokenProgramName(owner: string): 'spl-token' | 'spl-token-2022' {
  return owner === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022';
}
