import { RecentlyUsed } from '@agent-wallet/kernel';
import { addressBytes, isAddress } from './address.js';
import { isPublicKey } from './curve.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from './programs.js';

/** Addresses that happen to look like keys but whose money can never move again. */
const WELL_KNOWN = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAM,
  WRAPPED_SOL_MINT,
  'AddressLookupTab1e1111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'StakeConfig11111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  '1nc1nerator11111111111111111111111111111111',
]);
const SYSVAR_PREFIX = 'Sysvar';

const known = new RecentlyUsed<boolean>(10_000);

/** Reports whether an address is a point on the Ed25519 curve; program-derived addresses are not. */
export function isOnCurve(address: string): boolean {
  return isAddress(address) && known.useOrMake(address, () => isPublicKey(addressBytes(address)));
}

/** Reports whether an address is a well-known program, sysvar or burn address, on the curve or not: never a wallet. */
export function isReservedAddress(address: string): boolean {
  return WELL_KNOWN.has(address) || address.startsWith(SYSVAR_PREFIX);
}

/**
 * Reports whether an address can belong to a wallet: on the curve, of large order, and no well-known program or sysvar.
 * A mint or a token account may still live there: only the chain knows (`SolanaChain.accounts`).
 */
export function isWalletAddress(address: string): boolean {
  return isOnCurve(address) && !isReservedAddress(address);
}
