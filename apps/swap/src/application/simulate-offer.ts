import { readSwapMessage } from '@agent-wallet/jupiter';
import { AppError, sleep } from '@agent-wallet/kernel';
import { wouldFail } from '@agent-wallet/operations';
import { addressBytes, type ChainAccount, messageFacts, readTokenAccount, SYSTEM_PROGRAM } from '@agent-wallet/solana';
import { isSlippage } from '../domain/chain-error.js';
import { unsafeTransaction } from '../domain/unsafe-transaction.js';
import type { SwapChain } from '../ports/swap-chain.js';
import { type Accounts, checkEffects } from './check-effects.js';
import type { AskedTrade, CheckedOffer } from './check-offer.js';
import { addressesOf, ownAccountsOf } from './own-accounts.js';

type SimulatingChain = Pick<SwapChain, 'accounts' | 'simulate'>;

/** An offer, and what was asked for. */
interface Offered {
  readonly offer: CheckedOffer;
  readonly asked: AskedTrade;
}

/** Other changes of the wallet may fall between the two polls, or one node may lag: then they are worth nothing. */
const TRIES = 3;
/** Time within which one node confirms what another saw already, in milliseconds. */
const SETTLE_MS = 1_200;
/** The programs whose accounts can be a wallet's without being of a token: nonces and stakes. */
const OWNING_PROGRAMS = [SYSTEM_PROGRAM, 'Stake11111111111111111111111111111111111111'];

/**
 * Has the chain say what an offer would do: to no account of the wallet but those of the trade, and to those no more
 * than was asked.
 * @returns the slot at which the node knew the offer's blockhash
 * @throws AppError UNSAFE_TRANSACTION, SLIPPAGE_EXCEEDED; UPSTREAM_ERROR when it would fail for another reason
 */
export async function simulateOffer(chain: SimulatingChain, offered: Offered, settleMs = SETTLE_MS): Promise<number> {
  const { offer, asked } = offered;
  const own = addressesOf(ownAccountsOf(asked));
  const { addresses, writable } = readSwapMessage(offer.message, offer.resolvedAddresses);
  const others = [...writable].filter((address) => !own.includes(address));
  const isNamed = own.map((address) => addresses.includes(address));
  for (let tries = 1; ; tries += 1) {
    const [read, simulated] = await Promise.all([
      chain.accounts([...own, ...others]),
      simulate(chain, offered, isNamed),
    ]);
    const before = read.accounts.slice(0, own.length);
    if (read.accounts.slice(own.length).some((account) => belongsTo(account, asked.wallet))) {
      throw unsafeTransaction('another account of the wallet could be written to');
    }
    const { minOutputAmount, maxNetworkLamports } = offer.swap;
    // The checks of the bytes bound what a sponsor pays.
    const networkLamports = asked.sponsor === undefined ? maxNetworkLamports : 0n;
    // What the message does not name stays as it is.
    const after = before.map((account, i) => (isNamed[i] ? simulated.accounts.get(own[i]!) : account));
    try {
      checkEffects({ ...asked, minOutputAmount, networkLamports }, before, after);
      return simulated.slot;
    } catch (error) {
      await sleep(settleMs);
      const isProof = simulated.slot >= read.slot && isSame(before, (await chain.accounts(own)).accounts);
      if (isProof) throw error;
      if (tries === TRIES) throw new AppError('UPSTREAM_ERROR', { cause: error });
    }
  }
}

/** Simulates the message. Returns the wallet's accounts that it names, as the simulation leaves them, by address. */
async function simulate(chain: SimulatingChain, { offer, asked }: Offered, isNamed: readonly boolean[]) {
  const addresses = addressesOf(ownAccountsOf(asked)).filter((_, i) => isNamed[i]);
  const { error, accounts, slot } = await chain.simulate(offer.message, { accounts: addresses });
  if (error !== null) throw await whyItFails(chain, offer, error);
  return { slot, accounts: new Map(addresses.map((address, i) => [address, accounts[i] ?? null])) };
}

async function whyItFails(
  chain: SimulatingChain,
  { message, routeInstruction }: CheckedOffer,
  error: string,
): Promise<AppError> {
  if (isSlippage(error, routeInstruction)) return new AppError('SLIPPAGE_EXCEEDED');
  const failure = wouldFail('UPSTREAM_ERROR', message, error);
  const missing = error.includes('ProgramAccountNotFound') ? await missingPrograms(chain, message) : [];
  if (missing.length === 0) return failure;
  return new AppError('UPSTREAM_ERROR', {
    message: `The transaction would fail: this network has no program at ${missing.join(', ')}. Nothing was sent.`,
    data: { suggestion: 'Trade on a network where the aggregator’s programs are deployed.' },
    cause: failure,
  });
}

/** Returns the programs that a message calls and the chain lacks. */
async function missingPrograms(chain: SimulatingChain, message: Uint8Array): Promise<string[]> {
  const programs = [...new Set(messageFacts(message).programs)];
  const { accounts } = await chain.accounts(programs);
  return programs.filter((_, i) => !accounts[i]);
}

/** Returns whether a wallet could lose the content of an account. */
function belongsTo(account: ChainAccount | null | undefined, wallet: string): boolean {
  if (!account) return false;
  const tokens = readTokenAccount(account);
  if (tokens) return tokens.owner === wallet;
  return (
    OWNING_PROGRAMS.includes(account.owner) && Buffer.from(account.data).includes(Buffer.from(addressBytes(wallet)))
  );
}

function isSame(one: Accounts, other: Accounts): boolean {
  return one.every((account, i) => {
    const same = other[i];
    if (!account || !same) return !account && !same;
    return account.lamports === same.lamports && Buffer.from(account.data).equals(same.data);
  });
}
