import { formatAmount, systemClock, USD_DECIMALS } from '@agent-wallet/kernel';
import { type Order, reasonOf, UsageError } from '../command-line.js';
import type { Print } from '../print.js';
import type { Services } from '../services.js';
import type { Command } from './command.js';

type Act = (order: Order, services: Services, print: Print) => Promise<void>;

const timeOf = (unixMs: bigint) => new Date(Number(unixMs)).toISOString();

const status: Act = async (_order, { recovery }, print) => {
  const now = await recovery.getRecovery({});
  if (now.recoveryId === 0 && !now.recovering) return print('there was no recovery');
  print(`recovery ${now.recoveryId}, since ${timeOf(now.startedAtMs)}: ${now.reason}`);
  if (now.recovering) {
    const left = now.blocksLeft === undefined ? '' : `, ${now.blocksLeft} blocks to wait for`;
    const wallets = `${now.walletsRead} of ${now.walletCount} wallets read${now.walletsTold ? '' : ', more to come'}`;
    print(`NOTHING IS PERMITTED: ${wallets}${left}`);
  } else print(`ended ${timeOf(now.endedAtMs)}`);
  if (now.treasuryHeld)
    print('NOTHING GOES TO THE TREASURY OR COMES FROM IT: compare the books, then release-treasury');
  const { transactions } = await recovery.listRecovered({});
  for (const { signature, landedAtMs, agentId, valueUsdMicros, frozen } of transactions) {
    const whose = agentId === '' ? 'nobody that is known' : `agent ${agentId}${frozen ? ' (frozen)' : ''}`;
    print(`${timeOf(landedAtMs)}  ${signature}  ${whose}  ${formatAmount(valueUsdMicros, USD_DECIMALS)} dollars`);
  }
  print(`${transactions.length} transactions on chain that no record had`);
};

const start: Act = async (order, { recovery }, print) => {
  const sinceMs = BigInt(systemClock.nowMs() - sinceOf(order));
  const { changed } = await recovery.startRecovery({ operator: order.operator, reason: reasonOf(order), sinceMs });
  print(changed ? 'nothing is permitted before the chain was read' : 'a recovery is under way already');
};

const release: Act = async (order, { recovery }, print) => {
  const { changed } = await recovery.releaseTreasury({ operator: order.operator, reason: reasonOf(order) });
  print(changed ? 'money goes to the treasury and comes from it again' : 'the treasury was not held');
};

/** @throws UsageError */
function sinceOf({ sinceMs }: Order): number {
  if (sinceMs === undefined) throw new UsageError('recovery start takes --since 3h: how much may be missing, or more.');
  return sinceMs;
}

const ACTS: Readonly<Record<string, Act | undefined>> = { status, start, 'release-treasury': release };

/** @throws UsageError */
function actOf({ subject = '' }: Order): Act {
  const act = ACTS[subject];
  if (!act) throw new UsageError(`recovery takes ${Object.keys(ACTS).join(', ')}.`);
  return act;
}

/** What there is to see and to do after a database was put back. */
export const recovery: Command = {
  check(order) {
    const act = actOf(order);
    if (act !== status) reasonOf(order);
    if (act === start) sinceOf(order);
  },
  run: (order, services, print) => actOf(order)(order, services, print),
};
