import { REGISTRY } from '../fakes.js';
import { type Database } from '@agent-wallet/platform';
import { newId, systemClock } from '@agent-wallet/kernel';
import { PagesRead } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PostgresDepositStore } from '../../src/adapters/postgres-deposit-store.js';
import { PostgresUnreadableStore } from '../../src/adapters/postgres-unreadable-store.js';
import { PostgresWatchedAccountStore } from '../../src/adapters/postgres-watched-account-store.js';
import { DEPOSIT_TIMING } from '../../src/domain/deposits/timing.js';
import { openWalletDatabase } from '../service.js';

// A round of each loop that looks for deposits, over tables of two sizes.

const MANY = 20_000;
/** Pages that the indexes may be deeper. */
const DEEPER = 40;
const [AGENT, OTHER] = [newId(), newId()];

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openWalletDatabase());
});
afterAll(() => close());

/** Runs a round of each loop once, and returns the pages that each has read. */
async function pagesOfLoops(): Promise<Record<string, number>> {
  const { pool } = database;
  await pool.query('vacuum analyze');
  await pool.query(`update watched_accounts set read_due_at = clock_timestamp(), sweep_due_at = clock_timestamp()
    where address = 'wallet'`);
  await pool.query('update poll_batches set due_at = clock_timestamp() where number = 0');
  const pages = new PagesRead(pool);
  const watched = new PostgresWatchedAccountStore(pages as never, DEPOSIT_TIMING);
  const deposits = new PostgresDepositStore({
    pool: pages as never,
    registry: REGISTRY,
    clock: systemClock,
    timing: DEPOSIT_TIMING,
  });
  const unreadable = new PostgresUnreadableStore(pages as never, DEPOSIT_TIMING);
  const token = { address: 'token', agentId: AGENT, wallet: 'wallet' };
  const account = { address: 'wallet', wallet: 'wallet', balanceSlot: 1, previousSlot: 0, cursorSignature: null };
  const loops = {
    poll: () => watched.claimBatches(8),
    changes: () => watched.noteChanges([{ address: 'wallet', balance: 1n, slot: 1 }]),
    release: () => watched.releaseBatch('0', 1_000),
    sweep: () => watched.claimSweeps(),
    swept: () => watched.noteFullSweep({ agentId: AGENT, wallet: 'wallet', isFull: true }, []),
    accounts: () => watched.noteAccounts([token]),
    reads: () => watched.claimReads(10),
    read: () =>
      watched.noteRead(
        { ...account, cursorSlot: 0, failures: 0, readBeyond: [] },
        { cursor: undefined, readBeyond: [] },
        'done',
      ),
    settle: () => deposits.claimPending(10),
    retry: () => unreadable.claim(10),
    agents: () => deposits.agentsAmong(['wallet']),
  };
  const read: Record<string, number> = {};
  for (const [name, round] of Object.entries(loops)) {
    await round();
    read[name] = pages.take();
  }
  return read;
}

it('a round of each loop reads as much with 20,000 other wallets as with one', async () => {
  const { pool } = database;
  await pool.query(`insert into wallets (agent_id, address) values ($1, 'wallet'), ($2, 'other')`, [AGENT, OTHER]);
  // One whole batch, as it is when there are many.
  await pool.query(
    `insert into watched_accounts (address, agent_id, wallet) select 'of-' || n, $1, 'wallet' from generate_series(1, 100) n`,
    [OTHER],
  );
  await pool.query('update watched_accounts set read_due_at = null, sweep_due_at = null');
  const few = await pagesOfLoops();
  await pool.query(
    `insert into wallets (agent_id, address) select gen_random_uuid(), n::text from generate_series(1, $1) n`,
    [MANY],
  );
  await pool.query(
    `update watched_accounts set read_due_at = null, sweep_due_at = clock_timestamp() + interval '1 day'`,
  );
  await pool.query(`update poll_batches set due_at = clock_timestamp() + interval '1 day'`);
  await pool.query(
    `insert into deposits (id, signature, account, agent_id, wallet, mint, decimals, amount, sender, slot, state, created_at_ms)
     select gen_random_uuid(), n::text, n::text, $1, '', '', 9, 1, '', 1, 'confirmed', 1 from generate_series(1, $2) n`,
    [AGENT, MANY],
  );
  await pool.query(
    `insert into unreadable_transactions (signature, slot, retry_at)
     select n::text, 1, clock_timestamp() + interval '1 day' from generate_series(1, $1) n`,
    [MANY],
  );
  const many = await pagesOfLoops();
  expect(Object.entries(many).filter(([name, pages]) => pages > few[name]! + DEEPER)).toEqual([]);
});
