import { createOutbox } from '@agent-wallet/events';
import { systemClock } from '@agent-wallet/kernel';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PostgresRecoveryStore } from '../src/adapters/postgres-recovery-store.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { newAgent, USD, WALLET } from './store-support.js';

let database: PolicyDatabase;
let replicas: PostgresRecoveryStore[];

beforeAll(async () => {
  database = await openPolicyDatabase();
  const outbox = createOutbox('policy', systemClock);
  replicas = [database.policy, database.another()].map((each) => new PostgresRecoveryStore(each, outbox));
});
afterAll(() => database.close());

const all = <Result>(act: (one: PostgresRecoveryStore) => Promise<Result>) => Promise.all(replicas.map(act));

it('a recovery that replicas carry out together happens once', async () => {
  const agentId = await newAgent(database);
  await database.rows("update database_identity set identity = 'of another life'");
  expect((await all((one) => one.detect())).sort()).toEqual([false, true]);
  const { id } = (await replicas[0]!.open())!;
  await all((one) => one.keepLastHeight(id, 700));
  await all((one) => one.keepReadSlot(id, 1_800));
  await all((one) => one.addWallets(id, [{ agentId, address: WALLET }], true));
  expect((await all((one) => one.claimWallets(4))).flat()).toEqual([{ agentId, address: WALLET }]);
  const found = { signature: 'a', messageHash: Buffer.alloc(32), slot: 1_700, landedAtMs: null, agentId };
  const forgotten = { ...found, valueUsdMicros: USD, sponsoredLamports: 5_000n, paidOut: undefined };
  await all((one) => one.count(id, [forgotten]));
  expect(await all((one) => one.end(id))).toEqual([false, false]);
  await all((one) => one.noteRead(WALLET));
  expect((await all((one) => one.end(id))).sort()).toEqual([false, true]);
  expect(await database.rows('select settled_usd_micros::text as used from policies')).toEqual([{ used: String(USD) }]);
  expect(await database.rows('select sponsored_lamports::text as paid from sponsorship')).toEqual([{ paid: '5000' }]);
  expect(await all((one) => one.detect())).toEqual([false, false]);
  expect((await replicas[1]!.status(false)).isRecovering).toBe(false);
});

it('a database that is restored again during its recovery starts another one', async () => {
  await database.rows("update database_identity set identity = 'of another life'");
  await replicas[0]!.detect();
  const { id } = (await replicas[0]!.open())!;
  await replicas[0]!.keepLastHeight(id, 700);
  await database.rows("update database_identity set identity = 'of yet another life'");
  expect((await all((one) => one.detect())).sort()).toEqual([false, true]);
  expect(await replicas[0]!.open()).toMatchObject({ id, lastHeight: undefined, areWalletsReported: false });
});
