import type { AddressSignature, Commitment } from '@agent-wallet/solana';
import type { FoundDeposit } from '../../domain/deposits/deposit.js';
import type { DepositStore } from '../../ports/deposit-store.js';
import type { WatchedAccountStore } from '../../ports/watched-account-store.js';
import type { DepositCheckpoint } from './checkpoint.js';
import type { CreditReader, LandedCredits } from './credit-reader.js';

/** Dependencies of storing what transactions brought. */
export interface RecordOptions {
  readonly credits: Pick<CreditReader, 'read'>;
  readonly deposits: Pick<DepositStore, 'record'>;
  readonly watched: Pick<WatchedAccountStore, 'noteAccounts'>;
  readonly checkpoint: DepositCheckpoint;
}

/**
 * Reads transactions, and stores their credits and the accounts that they show, which are stored now or never.
 * @returns reasons by signature of those that could not be read
 */
export async function recordCredits(
  { credits, deposits, watched, checkpoint }: RecordOptions,
  entries: ReadonlyArray<Pick<AddressSignature, 'signature' | 'commitment'>>,
): Promise<Map<string, unknown>> {
  const failures = new Map<string, unknown>();
  if (entries.length === 0) return failures;
  const wanted = entries.map(({ signature, commitment = 'confirmed' }) => ({ signature, commitment }));
  const read = await credits.read(wanted, (signature, reason) => failures.set(signature, reason));
  await checkpoint('after-fetching');
  await deposits.record(
    wanted.flatMap(({ signature, commitment }) => depositsIn(signature, commitment, read.get(signature))),
  );
  await checkpoint('after-recording');
  await watched.noteAccounts(wanted.flatMap(({ signature }) => read.get(signature)?.accounts ?? []));
  return failures;
}

function depositsIn(signature: string, commitment: Commitment, landed: LandedCredits | undefined): FoundDeposit[] {
  if (!landed) return [];
  const { slot, blockTimeMs, credits } = landed;
  return credits.map((credit) => ({
    ...credit,
    signature,
    slot,
    blockTimeMs,
    isFinalized: commitment === 'finalized',
  }));
}
