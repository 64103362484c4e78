import { newId } from '@agent-wallet/kernel';
import { type Database } from '@agent-wallet/platform';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PostgresWatchedAccountStore } from '../../src/adapters/postgres-watched-account-store.js';
import { DEPOSIT_TIMING } from '../../src/domain/deposits/timing.js';
import { openWalletDatabase } from '../service.js';

const AGENT = newId();
const ACCOUNTS = 200;
/** The wallet itself, and 99 more. */
const POLLED = 100;
const LAST = `token-${ACCOUNTS}`;

let database: Database;
let close: () => Promise<void>;
let watched: PostgresWatchedAccountStore;
beforeAll(async () => {
  ({ database, close } = await openWalletDatabase());
  watched = new PostgresWatchedAccountStore(database.pool, DEPOSIT_TIMING);
  await database.pool.query(`insert into wallets (agent_id, address) values ($1, 'wallet')`, [AGENT]);
  const tokens = Array.from({ length: ACCOUNTS }, (_, n) => `token-${n + 1}`);
  for (const some of [tokens.slice(0, 50), tokens.slice(50)])
    await watched.noteAccounts(some.map((address) => ({ address, agentId: AGENT, wallet: 'wallet' })));
});
afterAll(() => close());

/** Marks every account as read, then takes those that are due. */
async function dueAfter(work: () => Promise<void>): Promise<string[]> {
  await database.pool.query('update watched_accounts set read_due_at = null');
  await work();
  return (await watched.claimReads(2 * ACCOUNTS)).map(({ address }) => address);
}

const sweep = () => watched.noteFullSweep({ agentId: AGENT, wallet: 'wallet', isFull: true }, []);
const isUnpolled = (address: string) => Number(address.split('-')[1]) >= POLLED;

it('polls the first hundred accounts of a wallet, however many strangers open for it', async () => {
  const batches = await watched.claimBatches(10);
  const polled = [...batches.values()].flat().map(({ address }) => address);
  expect(polled).toHaveLength(POLLED);
  expect(polled).toEqual(expect.arrayContaining(['wallet', 'token-1', 'token-99']));
});

it('reads twenty of the others with each full sweep, in turn', async () => {
  const turns: string[][] = [];
  for (let n = 0; n < 6; n += 1) turns.push((await dueAfter(sweep)).filter(isUnpolled));
  expect(turns.map((turn) => turn.length)).toEqual([20, 20, 20, 20, 20, 20]);
  expect(new Set(turns.flat()).size).toBe(ACCOUNTS - POLLED + 1);
});

it('reads one of the others at once when a sweep shows another balance', async () => {
  const change = { address: LAST, balance: 5n, slot: 9 };
  expect(await dueAfter(() => watched.noteChanges([change]))).toEqual([LAST]);
});
