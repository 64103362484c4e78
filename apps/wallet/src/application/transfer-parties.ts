import { AppError } from '@agent-wallet/kernel';
import {
  associatedTokenAddress,
  type ChainAccount,
  isTokenProgram,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
} from '@agent-wallet/solana';
import { assertNotFrozen } from '../domain/token-safety.js';
import type { TransferPlan } from '../domain/transfer-plan.js';
import type { TransferChain } from '../ports/transfer-chain.js';
import { readTokenAccount } from './token-account.js';

/** What sender and recipient hold now, and what the transfer has to make. */
export interface Parties {
  readonly lamports: bigint;
  readonly recipientLamports: bigint;
  /** Of the token sent, in the wallet's own associated account; 0 for the native coin. */
  readonly tokenUnits: bigint;
  readonly createsRecipientAccount: boolean;
  /** What that account must hold. */
  readonly rentLamports: bigint;
  /** The least that a wallet may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
}

/** Associated token accounts of Token-2022 carry at least the extension that makes their owner immutable. */
const TOKEN_ACCOUNT_BYTES = 165;
const TOKEN_2022_ACCOUNT_BYTES = 170;

/**
 * Reads both sides of a transfer in one call.
 * @throws AppError INVALID_ADDRESS when the recipient is no wallet, UNSAFE_TOKEN when an account is frozen
 */
export async function readParties(
  chain: TransferChain,
  transfer: { readonly wallet: string; readonly recipient: string; readonly plan: TransferPlan },
): Promise<Parties> {
  const { wallet, recipient, plan } = transfer;
  const { mint, tokenProgram } = plan;
  const tokenAccounts = isTokenProgram(tokenProgram)
    ? [wallet, recipient].map((owner) => associatedTokenAddress({ owner, mint, tokenProgram }))
    : [];
  const [read, minimumLamports, tokenAccountLamports] = await Promise.all([
    chain.accounts([wallet, recipient, ...tokenAccounts]),
    chain.rentExemptMinimumLamports(0),
    chain.rentExemptMinimumLamports(
      tokenProgram === TOKEN_2022_PROGRAM ? TOKEN_2022_ACCOUNT_BYTES : TOKEN_ACCOUNT_BYTES,
    ),
  ]);
  const [from, to, fromTokens = null, toTokens = null] = read.accounts;
  assertWallet(to ?? null);
  const native = { lamports: from?.lamports ?? 0n, recipientLamports: to?.lamports ?? 0n, minimumLamports };
  if (tokenAccounts.length === 0) {
    return { ...native, tokenUnits: 0n, createsRecipientAccount: false, rentLamports: 0n };
  }
  const createsRecipientAccount = !holdsTokens(toTokens, recipient);
  const missing = tokenAccountLamports - (toTokens?.lamports ?? 0n);
  return {
    ...native,
    tokenUnits: unitsOf(fromTokens, wallet),
    createsRecipientAccount,
    rentLamports: createsRecipientAccount && missing > 0n ? missing : 0n,
  };
}

/** A wallet is an account of the system program without data, or an address at which nothing lives yet. */
function assertWallet(account: ChainAccount | null): void {
  if (!account || (account.owner === SYSTEM_PROGRAM && account.data.length === 0 && !account.executable)) return;
  throw AppError.field('to', 'is not the address of a wallet', 'INVALID_ADDRESS');
}

function unitsOf(account: ChainAccount | null, wallet: string): bigint {
  const tokens = readTokenAccount(account);
  if (tokens?.owner !== wallet) return 0n;
  assertNotFrozen(tokens.isFrozen, 'wallet');
  return tokens.amount;
}

/** Whether the recipient's token account is there. Its owner can give it away: then the money would be another's. */
function holdsTokens(account: ChainAccount | null, recipient: string): boolean {
  const tokens = readTokenAccount(account);
  if (!tokens) return false;
  if (tokens.owner !== recipient) {
    throw AppError.field('to', 'has given its account for this token to somebody else', 'INVALID_ADDRESS');
  }
  assertNotFrozen(tokens.isFrozen, 'recipient');
  return true;
}
