import { newAddress } from '@agent-wallet/solana/corpus';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditV1 } from '@agent-wallet/contracts';
import { newId, systemClock } from '@agent-wallet/kernel';
import { PrismaPg } from '@prisma/adapter-pg';
import { PostgresWalletStore } from '../src/adapters/postgres-wallet-store.js';
import { CreateWallet } from '../src/application/wallets/create-wallet.js';
import { PrismaClient } from '../src/generated/prisma/client.js';
import { openWalletDatabase } from './service.js';

let opened: Awaited<ReturnType<typeof openWalletDatabase>>;
let prisma: PrismaClient;

beforeAll(async () => {
  opened = await openWalletDatabase();
  prisma = new PrismaClient({ adapter: new PrismaPg(opened.database.pool, { schema: 'wallet' }) });
});
afterAll(async () => {
  await prisma.$disconnect();
  await opened.close();
});

const replica = () => new PostgresWalletStore(prisma, opened.database.pool, systemClock);

async function eventsOf(agentId: string): Promise<auditV1.AuditEvent[]> {
  const { rows } = await opened.database.pool.query<{ payload: Buffer }>(
    'select payload from outbox where agent_id = $1',
    [agentId],
  );
  return rows.map(({ payload }) => auditV1.AuditEvent.decode(payload));
}

describe('creating a wallet', () => {
  it('makes one, and tells history once, however many ask over several replicas', async () => {
    const agentId = newId();
    const address = newAddress();
    const keys = { createKey: async () => address };
    const calls = Array.from({ length: 30 }, () => new CreateWallet(replica(), keys).execute(agentId));
    const answers = await Promise.all(calls);
    expect(new Set(answers.map((answer) => answer.address))).toEqual(new Set([address]));
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    const events = await eventsOf(agentId);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      agentId,
      source: 'wallet',
      fact: { $case: 'walletCreated', value: { address } },
    });
  });

  it('can be repeated after the signer did not answer', async () => {
    const agentId = newId();
    const address = newAddress();
    const failing = { createKey: () => Promise.reject(new Error('no answer')) };
    await expect(new CreateWallet(replica(), failing).execute(agentId)).rejects.toThrow('no answer');
    const again = new CreateWallet(replica(), { createKey: async () => address });
    expect(await again.execute(agentId)).toEqual({ address, created: true });
    expect(await again.execute(agentId)).toEqual({ address, created: false });
    expect(await replica().find(agentId)).toBe(address);
  });

  it('never gives one address to two agents', async () => {
    const address = newAddress();
    expect(await replica().add(newId(), address)).toBe(true);
    await expect(replica().add(newId(), address)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});
