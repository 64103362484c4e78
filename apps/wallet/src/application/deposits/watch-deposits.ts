import type { Clock } from '@agent-wallet/kernel';
import { type Logger, startLoop, stopInOrder } from '@agent-wallet/platform';
import type { DepositTiming } from '../../domain/deposits/timing.js';
import type { OwnLandings } from '../../domain/own-landings.js';
import type { DepositChain } from '../../ports/deposit-chain.js';
import type { DepositStore } from '../../ports/deposit-store.js';
import type { TokenRegistry } from '../../domain/token-registry.js';
import type { UnreadableStore } from '../../ports/unreadable-store.js';
import type { WatchedAccountStore } from '../../ports/watched-account-store.js';
import { AccountReader } from './account-reader.js';
import type { DepositCheckpoint } from './checkpoint.js';
import { CreditReader } from './credit-reader.js';
import { retryUnreadable } from './retry-unreadable.js';
import { pollBalances } from './poll-balances.js';
import { settleDeposits } from './settle-deposits.js';
import { sweepWallets } from './sweep-wallets.js';

/** Dependencies of the search for deposits. */
export interface DepositWatchOptions {
  readonly chain: DepositChain;
  readonly deposits: DepositStore;
  readonly watched: WatchedAccountStore;
  readonly unreadable: UnreadableStore;
  readonly registry: TokenRegistry;
  /** Transactions that this service carried out; none when omitted. */
  readonly landings?: Pick<OwnLandings, 'has'> | undefined;
  /** Addresses of the operator's wallets. */
  readonly operators: readonly string[];
  readonly logger: Logger;
  readonly timing: DepositTiming;
  /** Batches of balances that are read at once. */
  readonly callsInFlight: number;
  readonly clock: Clock;
  readonly checkpoint?: DepositCheckpoint | undefined;
}

/** The search for deposits, while it runs. */
export interface DepositWatch {
  /** Ends it; what was claimed is due again for others. */
  stop(): Promise<void>;
}

/**
 * Finds money that others send and publishes it, in loops: balances are polled, wallets are
 * swept for what balances do not show, accounts where something may have happened are read, what was found is followed
 * until it is finalized or undone, and what could not be read is read again now and then. Any number of replicas may do this at once.
 */
export function watchDeposits(options: DepositWatchOptions): DepositWatch {
  const {
    chain,
    deposits,
    watched,
    unreadable,
    registry,
    timing,
    callsInFlight,
    clock,
    logger,
    checkpoint = async () => {},
  } = options;
  const { landings = { has: () => false } } = options;
  const credits = new CreditReader(chain, deposits, new Set(options.operators));
  const onReadsDue = () => reading.wake();
  const stores = { watched, deposits, unreadable };
  const parts = {
    ...stores,
    registry,
    chain,
    credits,
    landings,
    timing,
    callsInFlight,
    clock,
    logger,
    checkpoint,
    onReadsDue,
  };
  const reader = new AccountReader(parts);
  const loop = (name: string, idleMs: number, round: () => Promise<boolean>) =>
    startLoop({ name: `deposits: ${name}`, logger, idleMs, round });
  const reading = loop('read', timing.followUpMs, () => reader.round());
  const loops = [
    loop('look', timing.searchMs, () => pollBalances(parts)),
    loop('sweep', timing.sweepRoundMs, () => sweepWallets(parts)),
    reading,
    loop('settle', timing.followUpMs, () => settleDeposits(parts)),
    loop('unreadable', timing.unreadableRoundMs, () => retryUnreadable(parts)),
  ];
  return {
    stop: () =>
      stopInOrder(
        () => reader.stop(),
        () => Promise.all(loops.map((each) => each.stop())),
      ),
  };
}
