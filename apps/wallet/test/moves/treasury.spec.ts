import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@agent-wallet/kernel';
import { Keypair } from '@solana/web3.js';
import { lamports, Sandbox } from '../deposits/sandbox.js';
import { startTestService } from '../service.js';

const treasury = Keypair.generate();

let sandbox: Sandbox;
let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  sandbox = await Sandbox.start();
  service = await startTestService({
    solanaRpcUrls: [sandbox.rpcUrl],
    treasuryAddress: treasury.publicKey.toBase58(),
  });
});
afterAll(async () => {
  await service?.stop();
  await sandbox?.stop();
});

/** Signatures of the deposits that were found. */
async function found(agentId: string): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ signature: string }>(
    'select signature from deposits where agent_id = $1',
    [agentId],
  );
  return rows.map(({ signature }) => signature);
}

describe("the treasury's own transactions", () => {
  it('are no deposits: the operation that they are a step of tells of them', async () => {
    const [agentId, agent] = [newId(), Keypair.generate().publicKey];
    await service.database.pool.query('insert into wallets (agent_id, address) values ($1, $2)', [
      agentId,
      agent.toBase58(),
    ]);
    await sandbox.faucet(treasury.publicKey.toBase58(), 'SOL', 1);
    const stranger = await sandbox.stranger(['SOL', 1]);
    const payout = await sandbox.send([treasury], lamports(treasury, agent, 20_000_000));
    const deposit = await sandbox.send([stranger], lamports(stranger, agent, 30_000_000));
    await eventually(
      () => found(agentId),
      (signatures) => signatures.includes(deposit),
    );
    expect(await found(agentId)).not.toContain(payout);
  });
});
