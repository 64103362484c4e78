import { AppError, invalidAddress } from '@agent-wallet/kernel';
import {
  associatedTokenAddress,
  type ChainAccount,
  isTokenProgram,
  readTokenAccount,
  SYSTEM_PROGRAM,
  tokenAccountBytes,
} from '@agent-wallet/solana';
import type { Operator } from '../../domain/operator.js';
import { belongsToProgram, isMintOf } from '../../domain/recipient.js';
import { assertNotFrozen } from '../../domain/token-safety.js';
import type { TransferPlan } from '../../domain/transfer.js';
import type { TransferChain } from '../../ports/transfer-chain.js';

/** Current holdings of every party of a transfer, and the accounts that the transfer has to create. */
export interface Parties {
  readonly lamports: bigint;
  readonly recipientLamports: bigint;
  /** Balance of the token sent, in the wallet's own associated account; 0 for the native coin. */
  readonly tokenUnits: bigint;
  readonly createsRecipientAccount: boolean;
  /** Rent that this account must hold. */
  readonly rentLamports: bigint;
  /** The least that a wallet may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
  /** Undefined when this transfer is not sponsored. */
  readonly sponsorLamports: bigint | undefined;
  /**
   * Whether the operator's fee wallet can receive the token without anything being made for it; `not_due` where this
   * transfer has no fee.
   */
  readonly feeAccount: 'ready' | 'missing' | 'not_due';
}

/** A transfer whose parties are to be read. */
interface TransferBetween {
  readonly wallet: string;
  readonly recipient: string;
  readonly memo: string;
  readonly plan: Pick<TransferPlan, 'mint' | 'tokenProgram'>;
  /** Names of the mint's extensions. */
  readonly extensions: readonly string[];
  readonly operator: Pick<Operator, 'sponsor' | 'feeWallet'>;
}

/**
 * Reads every party in one call.
 * @throws AppError INVALID_ADDRESS when the recipient is not a wallet, UNSAFE_TOKEN when an account is frozen,
 * VALIDATION_ERROR when the recipient takes nothing without a memo
 */
export async function readParties(chain: TransferChain, transfer: TransferBetween): Promise<Parties> {
  const { wallet, recipient, plan, extensions } = transfer;
  const { mint, tokenProgram } = plan;
  const { sponsor, feeWallet } = operatorFor(transfer);
  const owners = [wallet, recipient, ...(feeWallet ? [feeWallet] : [])];
  const isToken = isTokenProgram(tokenProgram);
  const tokenAccounts = isToken ? owners.map((owner) => associatedTokenAddress({ owner, mint, tokenProgram })) : [];
  const [find, minimumLamports, tokenAccountLamports] = await Promise.all([
    readAccounts(chain, [...owners, ...(sponsor ? [sponsor] : []), ...tokenAccounts]),
    chain.rentExemptMinimumLamports(0),
    isToken ? chain.rentExemptMinimumLamports(tokenAccountBytes({ tokenProgram, extensions })) : 0n,
  ]);
  const lamportsOf = (address: string) => find(address)?.lamports ?? 0n;
  assertWallet(find(recipient));
  const shared = {
    lamports: lamportsOf(wallet),
    recipientLamports: lamportsOf(recipient),
    minimumLamports,
    sponsorLamports: sponsor === undefined ? undefined : lamportsOf(sponsor),
  };
  const [from, to, fees] = tokenAccounts.map(find);
  if (!isToken) {
    const feeAccount = feeAccountIf(feeWallet !== undefined, lamportsOf(feeWallet ?? '') >= minimumLamports);
    return { ...shared, tokenUnits: 0n, createsRecipientAccount: false, rentLamports: 0n, feeAccount };
  }
  const held = heldBy(to ?? null, transfer);
  const missing = held ? 0n : tokenAccountLamports - (to?.lamports ?? 0n);
  return {
    ...shared,
    tokenUnits: unitsOf(from ?? null, wallet),
    createsRecipientAccount: !held,
    rentLamports: missing > 0n ? missing : 0n,
    // The memo has to stand right before the transfer, where the fee would.
    feeAccount: feeAccountIf(feeWallet !== undefined && !held?.needsMemo, canReceive(fees ?? null, feeWallet)),
  };
}

/**
 * Returns the operator's part in a transfer. A transfer to the sponsor is not sponsored, and a transfer to the operator
 * pays no fee.
 */
function operatorFor({ wallet, recipient, operator }: TransferBetween): Pick<Operator, 'sponsor' | 'feeWallet'> {
  const isPart = (address: string | undefined) => address === wallet || address === recipient;
  return {
    sponsor: isPart(operator.sponsor) ? undefined : operator.sponsor,
    feeWallet: isPart(operator.feeWallet) ? undefined : operator.feeWallet,
  };
}

type FindAccount = (address: string) => ChainAccount | null;

async function readAccounts(chain: TransferChain, addresses: readonly string[]): Promise<FindAccount> {
  const { accounts } = await chain.accounts(addresses);
  const found = new Map(addresses.map((address, at) => [address, accounts[at] ?? null]));
  return (address) => found.get(address) ?? null;
}

/**
 * Rejects a recipient that is not a wallet: an account of the system program without data, or an address without an
 * account.
 */
function assertWallet(account: ChainAccount | null): void {
  if (!account || (account.owner === SYSTEM_PROGRAM && account.data.length === 0 && !account.executable)) return;
  if (readTokenAccount(account)) {
    const reason = "is a token account. Send to its owner's wallet.";
    throw invalidAddress('to', 'token_account', { reason });
  }
  throw isTokenProgram(account.owner) ? isMintOf('a token') : belongsToProgram();
}

function unitsOf(account: ChainAccount | null, wallet: string): bigint {
  const tokens = readTokenAccount(account);
  if (tokens?.owner !== wallet) return 0n;
  assertNotFrozen(tokens, 'wallet');
  return tokens.amount;
}

/** Reads the recipient's token account. Its owner can give it away: then the money would be another's. */
function heldBy(account: ChainAccount | null, { recipient, memo }: TransferBetween) {
  const tokens = readTokenAccount(account);
  if (!tokens) return undefined;
  if (tokens.owner !== recipient) {
    const reason = 'has given its account for this token to another wallet. Send to an address that owns its account.';
    throw invalidAddress('to', 'token_account', { reason });
  }
  assertNotFrozen(tokens, 'recipient');
  if (tokens.needsMemo && memo === '') throw AppError.field('memo', 'is required by the recipient', 'required');
  return tokens;
}

function feeAccountIf(isDue: boolean, isReady: boolean): Parties['feeAccount'] {
  if (!isDue) return 'not_due';
  return isReady ? 'ready' : 'missing';
}

/** Reports whether an account is the owner's and takes its token from any sender, without a memo. */
export function canReceive(account: ChainAccount | null, owner: string | undefined): boolean {
  const tokens = readTokenAccount(account);
  return tokens !== undefined && tokens.owner === owner && !tokens.isFrozen && !tokens.needsMemo;
}
