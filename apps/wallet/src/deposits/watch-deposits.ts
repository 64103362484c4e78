import type { Clock } from '@agent-wallet/kernel';
import { type Logger, type Queryable, startLoop, stopInOrder } from '@agent-wallet/platform';
import type { OwnLandings } from '../domain/own-landings.js';
import { GainReader } from './landed-gains.js';
import { lookAtBalances } from './look.js';
import { DEPOSIT_PACE, type DepositPace } from './pace.js';
import type { DepositChain, TimeWitness } from './ports.js';
import { AccountReader } from './read.js';
import { settleDeposits } from './settle.js';
import type { DepositCheckpoint } from './steps.js';
import { StoredDeposits } from './stored-deposits.js';
import { sweepWallets } from './sweep.js';
import { WatchedAccounts } from './watched-accounts.js';

/** What looking for deposits needs. */
export interface DepositWatchOptions {
  readonly pool: Queryable;
  readonly chain: DepositChain;
  /** What was carried out here; nothing when omitted. */
  readonly landings?: Pick<OwnLandings, 'has'> | undefined;
  /** Addresses of the operator's wallets. */
  readonly operators: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pace?: Partial<DepositPace> | undefined;
  readonly checkpoint?: DepositCheckpoint | undefined;
  readonly witness?: TimeWitness | undefined;
}

/** The search for deposits, while it runs. */
export interface DepositWatch {
  /** Ends it; what was claimed is due again for others. */
  stop(): Promise<void>;
}

/**
 * Looks for money that arrives from outside and tells history, in four loops: balances are looked at, wallets are
 * swept for what balances do not show, accounts where something may have happened are read, and what was found is
 * followed until it is finalized or undone. Any number of replicas may do this at once.
 */
export function watchDeposits({ pool, chain, clock, logger, ...options }: DepositWatchOptions): DepositWatch {
  const pace = { ...DEPOSIT_PACE, ...options.pace };
  const checkpoint = options.checkpoint ?? (async () => {});
  const { witness = { saw: () => {} }, landings = { has: () => false } } = options;
  const watched = new WatchedAccounts(pool, pace);
  const deposits = new StoredDeposits({ pool, clock, pace });
  const gains = new GainReader(chain, deposits, new Set(options.operators));
  const parts = { chain, watched, deposits, gains, landings, pace, logger, checkpoint, witness };
  const reader = new AccountReader(parts);
  const loop = (name: string, idleMs: number, round: () => Promise<boolean>) =>
    startLoop({ name: `deposits: ${name}`, logger, idleMs, round });
  const loops = [
    loop('look', pace.searchMs, () => lookAtBalances(parts)),
    loop('sweep', pace.sweepRoundMs, () => sweepWallets(parts)),
    loop('read', pace.searchMs, () => reader.round()),
    loop('settle', pace.searchMs, () => settleDeposits(parts)),
  ];
  return {
    stop: () =>
      stopInOrder(
        () => reader.stop(),
        () => Promise.all(loops.map((each) => each.stop())),
      ),
  };
}
