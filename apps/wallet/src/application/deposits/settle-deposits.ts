import type { Logger } from '@agent-wallet/platform';
import type { Deposit, DepositChange } from '../../domain/deposits/deposit.js';
import type { DepositChain } from '../../ports/deposit-chain.js';
import type { DepositStore } from '../../ports/deposit-store.js';
import type { DepositCheckpoint } from './checkpoint.js';
import type { CreditReader } from './credit-reader.js';
import { wasRolledBack } from './was-rolled-back.js';

/** As many as nodes take in one look-up. */
const CLAIMED_AT_ONCE = 256;

/** Dependencies of settling. */
interface SettleOptions {
  readonly chain: Pick<DepositChain, 'finalizedHead' | 'signaturesForAddress' | 'signatureStatus'>;
  readonly credits: CreditReader;
  readonly deposits: DepositStore;
  readonly logger: Logger;
  readonly checkpoint: DepositCheckpoint;
}

/** The progress of a deposit's transaction on chain. */
type Outcome = 'open' | 'finalized' | 'undone';

/**
 * Looks at pending deposits that are due. A finalized one is read once more as it was finalized: it may have landed
 * in another block than the one it was first seen in, with another effect.
 * @returns whether more may be due
 */
export async function settleDeposits(options: SettleOptions): Promise<boolean> {
  const { deposits, checkpoint } = options;
  const pending = await deposits.claimPending(CLAIMED_AT_ONCE);
  if (pending.length === 0) return false;
  await checkpoint('after-claiming-pending');
  const outcomes = await Promise.all(pending.map((deposit) => outcomeOf(options, deposit)));
  const having = (outcome: Outcome) => pending.filter((_, i) => outcomes[i] === outcome);
  const finalized = await readFinalized(options, having('finalized'));
  await checkpoint('after-reading-the-outcome');
  const undone = having('undone').map((deposit): Changed => [deposit, dropped(deposit)]);
  const changed = [...finalized, ...undone];
  await deposits.change(changed);
  await checkpoint('after-settling');
  const settled = new Set(changed.map(([{ id }]) => id));
  await deposits.postpone(pending.map(({ id }) => id).filter((id) => !settled.has(id)));
  return pending.length === CLAIMED_AT_ONCE;
}

async function outcomeOf({ chain, logger }: SettleOptions, deposit: Deposit): Promise<Outcome> {
  const { signature } = deposit;
  try {
    const recent = await chain.signatureStatus(signature, { searchHistory: false });
    const { status } = recent.status ? recent : await chain.signatureStatus(signature, { searchHistory: true });
    if (status) return status.commitment === 'finalized' ? 'finalized' : 'open';
    return (await wasRolledBack(chain, deposit)) ? 'undone' : 'open';
  } catch (err) {
    logger.warn({ event: 'deposit.status_read_failed', signature, err }, 'Deposit status not read; retrying');
    return 'open';
  }
}

type Changed = readonly [Deposit, DepositChange];

async function readFinalized({ credits, logger }: SettleOptions, deposits: readonly Deposit[]): Promise<Changed[]> {
  const signatures = [...new Set(deposits.map(({ signature }) => signature))];
  const wanted = signatures.map((signature) => ({ signature, commitment: 'finalized' as const }));
  const landed = await credits.read(wanted, (signature, err) =>
    logger.warn({ event: 'deposit.transaction_read_failed', signature, err }, 'Finalized deposit not read; retrying'),
  );
  return deposits.flatMap((deposit): Changed[] => {
    const tx = landed.get(deposit.signature);
    if (!tx) return [];
    const credit = tx.credits.find(({ account }) => account === deposit.account);
    if (!credit) return [[deposit, dropped(deposit)]];
    return [[deposit, { state: 'confirmed', slot: tx.slot, amount: credit.amount }]];
  });
}

function dropped({ slot, amount }: Deposit): DepositChange {
  return { state: 'dropped', slot, amount };
}
