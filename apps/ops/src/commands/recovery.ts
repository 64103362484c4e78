import { formatAmount, systemClock, USD_DECIMALS } from '@agent-wallet/kernel';
import { type Input, noSubject, reasonOf, UsageError } from '../command-line.js';
import type { Command } from './command.js';

const timeOf = (unixMs: bigint) => new Date(Number(unixMs)).toISOString();

export const recoveryStatus: Command = {
  usage: '',
  help: 'After a restore: how far the chain was scanned, and which unrecorded transactions were found.',
  check: noSubject,
  async run(_input, { recovery }) {
    const now = await recovery.getRecovery({ countWallets: true });
    if (now.recoveryId === 0 && !now.inProgress) return { json: { recovery: null }, lines: ['There was no recovery.'] };
    const { transactions } = await recovery.listRecovered({});
    const found = transactions.map(({ signature, landedAtMs, agentId, valueUsdMicros, frozen }) => ({
      signature,
      landedAt: timeOf(landedAtMs),
      agentId: agentId || null,
      frozen,
      valueUsd: formatAmount(valueUsdMicros, USD_DECIMALS),
    }));
    const wallets = { scanned: now.walletsRead, reported: now.walletCount, isComplete: now.walletsReported };
    const progress = now.inProgress
      ? `PERMITS ARE SUSPENDED: ${wallets.scanned} of ${wallets.reported} wallets scanned` +
        `${wallets.isComplete ? '' : ', more to come'}` +
        `${now.blocksRemaining === undefined ? '' : `; blocks remaining: ${now.blocksRemaining}`}`
      : `Ended ${timeOf(now.endedAtMs)}.`;
    return {
      json: {
        recovery: {
          id: now.recoveryId,
          inProgress: now.inProgress,
          startedAt: timeOf(now.startedAtMs),
          endedAt: now.inProgress ? null : timeOf(now.endedAtMs),
          reason: now.reason,
          wallets,
          blocksRemaining: now.blocksRemaining ?? null,
          treasuryFrozen: now.treasuryFrozen,
          transactions: found,
        },
      },
      lines: [
        `Recovery ${now.recoveryId}, since ${timeOf(now.startedAtMs)}: ${now.reason}`,
        progress,
        ...(now.treasuryFrozen
          ? ['THE TREASURY IS FROZEN: reconcile the ledger, then run recovery unfreeze-treasury.']
          : []),
        ...found.map(({ signature, landedAt, agentId, frozen, valueUsd }) => {
          const whose = agentId === null ? 'unknown agent' : `agent ${agentId}${frozen ? ' (frozen)' : ''}`;
          return `${landedAt}  ${signature}  ${whose}  ${valueUsd} dollars`;
        }),
        `Unrecorded transactions on chain: ${found.length}.`,
      ],
    };
  },
};

export const startRecovery: Command = {
  usage: '--since 3h --reason TEXT',
  help: 'Starts a chain scan after a restore that the database cannot detect by itself.',
  check(input) {
    noSubject(input);
    reasonOf(input);
    sinceOf(input);
  },
  async run(input, { recovery }) {
    const sinceMs = BigInt(systemClock.nowMs() - sinceOf(input));
    const { changed } = await recovery.startRecovery({ operator: input.operator, reason: reasonOf(input), sinceMs });
    return {
      json: { changed },
      lines: [
        changed ? 'Started. Permits are suspended until the chain scan ends.' : 'A recovery is in progress already.',
      ],
    };
  },
};

export const unfreezeTreasury: Command = {
  usage: '--reason TEXT',
  help: 'Allows prediction money to move again after a restore. Reconcile the ledger with the exchange first.',
  check(input) {
    noSubject(input);
    reasonOf(input);
  },
  async run(input, { recovery }) {
    const { changed } = await recovery.unfreezeTreasury({ operator: input.operator, reason: reasonOf(input) });
    return {
      json: { changed },
      lines: [changed ? 'The treasury is unfrozen.' : 'The treasury was not frozen.'],
    };
  },
};

/** @throws UsageError */
function sinceOf({ command, sinceMs }: Input): number {
  if (sinceMs === undefined)
    throw new UsageError(`${command} takes --since 3h: the time that may be missing, or more.`);
  return sinceMs;
}
