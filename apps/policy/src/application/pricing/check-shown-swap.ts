import type { intentV1 } from '@agent-wallet/contracts';
import {
  lookupTablesOf,
  PROGRAMS_OF_OWNERS,
  resolvedAddressesHash,
  resolveLookups,
  tablesAmong,
  UnresolvedLookups,
} from '@agent-wallet/jupiter';
import { checkSwapMessage } from '@agent-wallet/jupiter/checks';
import { AppError } from '@agent-wallet/kernel';
import {
  addressBytes,
  addressOf,
  associatedTokenAddress,
  type ChainAccount,
  isTokenProgram,
  MalformedMessage,
  messageHash,
  MessageRefused,
  TOKEN_PROGRAM,
  tokenAccountBytes,
} from '@agent-wallet/solana';
import { decodeMessage } from '@agent-wallet/solana/checks';
import type { PolicyChain } from '../../ports/chain.js';

/** A message, the intent that it is to carry out, and the hash under which it is asked to be permitted. */
export interface ShownMessage {
  readonly intent: intentV1.Intent | undefined;
  readonly messageHash: Uint8Array;
  /** Undefined when it was not shown. */
  readonly message: Uint8Array | undefined;
}

/** The accounts of a chain by their address; null where nothing lives. */
type Accounts = ReadonlyMap<string, ChainAccount | null>;

/**
 * Proves that the message of a swap is the trade of its intent, and mentions nothing else of the wallet's. The swap
 * service that asks may lie, and the signer asks no chain: only the permit shows it which addresses lookup tables hold,
 * and which accounts are the wallet's beside those that their addresses give away.
 *
 * What no check can find: an account that is unrelated to this service, and a program that a venue names. Both look like
 * a pool's own.
 * @throws AppError VALIDATION_ERROR when it is not so, or unknown; UPSTREAM_ERROR and UPSTREAM_TIMEOUT
 */
export async function checkShownSwap(
  chain: Pick<PolicyChain, 'accounts' | 'rentExemptMinimumLamports'>,
  swap: intentV1.Swap,
  { intent, messageHash: permitted, message }: ShownMessage,
): Promise<void> {
  if (!intent || !message) throw AppError.field('message', 'must be shown for a swap');
  if (Buffer.compare(messageHash(message), permitted) !== 0) {
    throw AppError.field('message', 'is not the message that is to be permitted');
  }
  const keys = orRefuse(() => decodeMessage(message).keys.map(addressOf));
  const known = await accountsOf(chain, [...keys, ...orRefuse(() => lookupTablesOf(message))]);
  const resolved = orRefuse(() => resolveLookups(message, tablesAmong(known)));
  if (!resolvedAddressesHash(resolved).equals(swap.resolvedAddressesHash)) {
    throw AppError.field('intent.swap.resolvedAddressesHash', 'is not of what the lookup tables hold');
  }
  // The most that the network may cost is bounded where the intent is read.
  const limits = { maxNetworkFeeLamports: swap.maxNetworkLamports };
  orRefuse(() => checkSwapMessage(message, intent, resolved, limits));
  await checkReturnedRent(chain, { wallet: intent.wallet, swap, known });
  const mentioned = [...keys, ...resolved.map(addressOf)];
  const unknown = mentioned.filter((address) => !known.has(address));
  const all = new Map([...known, ...(await accountsOf(chain, unknown))]);
  checkMentioned(all, { wallet: intent.wallet, mentioned, traded: tradedAccounts(intent.wallet, swap) });
}

interface ReturnedRent {
  readonly wallet: string;
  readonly swap: intentV1.Swap;
  /** Accounts that the message names, the wallet's own among them. */
  readonly known: Accounts;
}

/**
 * Proves that the rent that a wallet returns to the sponsor is the whole rent of its new account. Less would be the
 * sponsor's loss, and more the wallet's, as would be any for an account that exists. Where lamports lie at the address
 * already, the sponsor adds the rest, and gains them.
 */
async function checkReturnedRent(
  chain: Pick<PolicyChain, 'rentExemptMinimumLamports'>,
  { wallet, swap, known }: ReturnedRent,
): Promise<void> {
  const { returnedRentLamports: returned } = swap;
  if (returned === undefined) return;
  const [, wrapped] = tradedAccounts(wallet, swap);
  if (isTokenProgram(known.get(wrapped!)?.owner ?? '')) {
    throw AppError.field('intent.swap.returnedRentLamports', 'must be unset: the account for wrapped SOL exists');
  }
  const rent = await chain.rentExemptMinimumLamports(
    tokenAccountBytes({ tokenProgram: TOKEN_PROGRAM, extensions: [] }),
  );
  if (returned !== rent) {
    // Services read it within a minute of each other, so that a change of the chain is seen by one of them first.
    throw new AppError('SERVICE_UNAVAILABLE', {
      message: `The chain's rent changed: ${rent} lamports are expected, not ${returned}. Try again in a minute.`,
    });
  }
}

async function accountsOf(chain: Pick<PolicyChain, 'accounts'>, addresses: readonly string[]): Promise<Accounts> {
  const each = [...new Set(addresses)];
  const { accounts } = each.length === 0 ? { accounts: [] } : await chain.accounts(each);
  return new Map(each.map((address, i) => [address, accounts[i] ?? null]));
}

function tradedAccounts(wallet: string, swap: intentV1.Swap): string[] {
  const sides = [
    { mint: swap.inputMint, tokenProgram: swap.inputTokenProgram },
    { mint: swap.outputMint, tokenProgram: swap.outputTokenProgram },
  ];
  return sides.flatMap(({ mint, tokenProgram }) =>
    isTokenProgram(tokenProgram) ? associatedTokenAddress({ owner: wallet, mint, tokenProgram }) : [],
  );
}

interface Mentioned {
  readonly wallet: string;
  readonly mentioned: readonly string[];
  readonly traded: readonly string[];
}

/**
 * Rejects a message that mentions another account of the wallet's. A route lends the wallet's signature to its venues,
 * and what they are given with it, they can move. To be read is enough: the token of a liquidity position proves whose
 * the position is.
 */
function checkMentioned(accounts: Accounts, { wallet, mentioned, traded }: Mentioned): void {
  for (const address of mentioned) {
    if (address === wallet || traded.includes(address)) continue;
    if (isOfWallet(accounts.get(address), wallet)) {
      throw AppError.field('message', `mentions ${address}, which is the wallet's and is not traded`);
    }
  }
}

/**
 * Reports whether an account obeys the wallet. Each program that takes an owner's signature for its word writes the
 * owner's key into the data: the owner, delegate or close authority of a token account, an authority of a mint, a signer
 * of a multisig, the staker or withdrawer of a stake, the authority of a nonce or a program. So it is enough to look for
 * the key. A key that was revoked can stay in the data; that the account is refused then harms no one.
 */
function isOfWallet(account: ChainAccount | null | undefined, wallet: string): boolean {
  if (!account || !(isTokenProgram(account.owner) || PROGRAMS_OF_OWNERS.has(account.owner))) return false;
  return Buffer.from(account.data).includes(Buffer.from(addressBytes(wallet)));
}

function orRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnresolvedLookups) {
      throw AppError.field('message', 'takes addresses from tables that cannot be read');
    }
    if (error instanceof MalformedMessage) throw AppError.field('message', 'is not a message');
    if (error instanceof MessageRefused) throw AppError.field('message', `is not the intent's trade: ${error.message}`);
    throw error;
  }
}
