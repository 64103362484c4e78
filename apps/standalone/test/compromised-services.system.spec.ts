import type { intentV1 } from '@agent-wallet/contracts';
import { isWalletAddress, messageHash, verifySignature } from '@agent-wallet/solana';
import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deploy, type Deployment } from './harness/deployment.js';
import { impersonate, type RPC } from './harness/impostor.js';
import { newRecipient } from './harness/recipient.js';
import { usageOf } from './harness/spending.js';
import {
  attempt,
  bytesOf,
  codeOf,
  messageOf,
  moveIntent,
  moveRequest,
  swapIntent,
  transferIntent,
  type Victim,
  victimOf,
} from './harness/targets.js';

// Each service in turn is taken over: the attacker has its certificate, and makes any call that it may make.

const PAYOUTS_PER_DAY = 80_000_000n;
const USD = 1_000_000n;

let deployment: Deployment;
let treasury: string;
const closing: Array<() => void> = [];

beforeAll(async () => {
  deployment = await deploy({ environment: { TREASURY_PAYOUT_DAILY_LIMIT_USD: String(PAYOUTS_PER_DAY / USD) } });
  treasury = deployment.systemWallets.treasury!;
});

afterAll(async () => {
  closing.forEach((close) => close());
  await deployment?.stop();
});

async function as<Target extends keyof typeof RPC>(name: Parameters<typeof impersonate>[1], target: Target) {
  const client = await impersonate(deployment, name, target);
  closing.push(() => client.close());
  return client;
}

const usdcOf = (address: string) => deployment.sandbox.balanceRaw(address, 'USDC');
const victim = (): Promise<Victim> => victimOf(deployment);

describe('a compromised gateway', () => {
  it('sends no more than the limit in force, however many operations it makes up', async () => {
    const { agent, agentId } = await victim();
    await agent.patchPolicy({ dailyLimitInUsd: 100, maxSingleTransactionInUsd: 30 });
    const wallet = await as('gateway', 'wallet');
    // To a wallet that has an account already: the rent of a new one counts, too.
    const to = (await victim()).agent.address;
    const send = (amount: string) =>
      wallet.transfer(
        {
          operationId: newId(),
          agentId,
          to,
          mint: 'USDC',
          amount,
          memo: '',
          waitMs: 20_000,
          cancelIfNotStarted: false,
        },
        { deadlineMs: 30_000 },
      );
    expect(await codeOf(send('30.000001'))).toBe('POLICY_VIOLATION');
    await Promise.all(Array.from({ length: 8 }, () => codeOf(send('25'))));
    await eventually(
      () => usageOf(agent),
      ({ reserved }) => reserved === 0n,
    );
    expect(await usdcOf(to)).toBe(1_100n * USD);
    expect(await usdcOf(agent.address)).toBe(900n * USD);
  });

  it('sends nothing of an agent that operators froze, under any policy that it sets', async () => {
    const { agent, agentId } = await victim();
    const ops = await as('ops', 'policy');
    await ops.setFreeze({ agentId, frozen: true, operator: 'test', reason: 'a test' });
    const policy = await as('gateway', 'policy');
    const limits = { maxSingleTransactionUsdMicros: 10n ** 12n, dailyLimitUsdMicros: 10n ** 12n };
    await policy.updatePolicy({ agentId, allowedRecipients: undefined, ...limits });
    const wallet = await as('gateway', 'wallet');
    const order = { operationId: newId(), agentId, to: newRecipient(), mint: 'USDC', amount: '1', memo: '' };
    expect(await codeOf(wallet.transfer({ ...order, waitMs: 10_000, cancelIfNotStarted: false }))).toBe(
      'POLICY_VIOLATION',
    );
    expect(await usdcOf(agent.address)).toBe(1_000n * USD);
  });

  it('withdraws nothing that the ledger does not owe to the very agent', async () => {
    const { agent, agentId } = await victim();
    const before = await usdcOf(treasury);
    const prediction = await as('gateway', 'prediction');
    const request = { operationId: newId(), agentId, amountUsdMicros: USD, waitMs: 10_000, cancelIfNotStarted: false };
    expect(await codeOf(prediction.withdraw(request))).toBe('INSUFFICIENT_FUNDS');
    expect([await usdcOf(treasury), await usdcOf(agent.address)]).toEqual([before, 1_000n * USD]);
  });
});

describe('a compromised wallet', () => {
  it('has no payout signed to any wallet but that of the very agent', async () => {
    const [{ agentId }, other] = await Promise.all([victim(), victim()]);
    const [policy, signer] = await Promise.all([as('wallet', 'policy'), as('wallet', 'signer')]);
    for (const wallet of [newRecipient(), other.agent.address, deployment.systemWallets.sponsor!]) {
      const intent = moveIntent('payout', wallet, treasury, USD);
      const message = await messageOf(deployment, intent);
      const { permit } = await policy.authorize(attempt(agentId, intent, message));
      await expect(signer.sign({ message, permit, resolvedAddresses: [] })).rejects.toMatchObject({
        data: { reason: 'wallet_mismatch' },
      });
    }
  });

  it('has the treasury pay for nothing else', async () => {
    const { agentId } = await victim();
    const [policy, signer] = await Promise.all([as('wallet', 'policy'), as('wallet', 'signer')]);
    const intent = transferIntent(treasury, newRecipient(), USD);
    const message = await messageOf(deployment, intent);
    const { permit } = await policy.authorize(attempt(agentId, intent, message));
    await expect(signer.sign({ message, permit, resolvedAddresses: [] })).rejects.toMatchObject({
      data: { reason: 'wallet_mismatch' },
    });
  });

  it('has one message permitted for each step of an operation, and no payouts beyond its escrow', async () => {
    const { agent, agentId } = await victim();
    const policy = await as('wallet', 'policy');
    const operationId = newId();
    const escrow = moveIntent('escrow', agent.address, treasury, 10n * USD);
    await policy.authorize(attempt(agentId, escrow, await messageOf(deployment, escrow), operationId));
    const ask = async (step: number, amount: bigint, number = 1) => {
      const intent = moveIntent('payout', agent.address, treasury, amount);
      const message = await messageOf(deployment, intent);
      return codeOf(policy.authorize({ ...attempt(agentId, intent, message, operationId), step, attempt: number }));
    };
    expect(await ask(2, 11n * USD)).toBe('PERMIT_CONFLICT');
    expect(await ask(2, 7n * USD)).toBe('OK');
    expect(await ask(2, 3n * USD)).toBe('PERMIT_CONFLICT');
    expect(await ask(2, 3n * USD, 2)).toBe('PERMIT_CONFLICT');
    expect(await ask(3, 4n * USD)).toBe('PERMIT_CONFLICT');
    expect(await ask(3, 3n * USD)).toBe('OK');
  });

  it('frees no reservation by lies about an escrow, a payout, or what another service asked for', async () => {
    const { agent, agentId } = await victim();
    const policy = await as('wallet', 'policy');
    const swap = await as('swap', 'policy');
    const escrow = moveIntent('escrow', agent.address, treasury, 20n * USD);
    const message = await messageOf(deployment, escrow);
    const operationId = newId();
    await policy.authorize(attempt(agentId, escrow, message, operationId));
    const trade = swapIntent(agent.address, 30n * USD);
    const traded = { message: await messageOf(deployment, trade), operationId: newId() };
    await swap.authorize(attempt(agentId, trade, traded.message, traded.operationId));
    const lies = [
      { message, signature: Buffer.alloc(64, 1) },
      { message: Buffer.alloc(0), signature: Buffer.alloc(0) },
      { message: Buffer.alloc(300, 1), signature: Buffer.alloc(64, 1) },
      {
        message: await messageOf(deployment, transferIntent(agent.address, newRecipient(), 1n)),
        signature: Buffer.alloc(64),
      },
    ];
    for (const lie of lies) {
      for (const id of [operationId, traded.operationId]) {
        await codeOf(policy.settle({ operationId: id, step: 1, attempt: 1, ...lie }));
        await codeOf(swap.settle({ operationId: id, step: 1, attempt: 1, ...lie }));
      }
    }
    expect((await usageOf(agent)).reserved).toBe(50n * USD);
  });
});

describe('a compromised swap', () => {
  it('has nothing permitted but trades, none beyond the limits, and none over tables that policy has not read', async () => {
    const { agent, agentId } = await victim();
    const policy = await as('swap', 'policy');
    const others = [
      transferIntent(agent.address, newRecipient(), USD),
      moveIntent('escrow', agent.address, treasury, USD),
      moveIntent('payout', agent.address, treasury, USD),
    ];
    for (const intent of others) {
      const message = await messageOf(deployment, intent);
      expect(await codeOf(policy.authorize(attempt(agentId, intent, message)))).toBe('CALLER_NOT_ALLOWED');
      expect(await codeOf(policy.dryRunAuthorize({ agentId, intent }))).toBe('CALLER_NOT_ALLOWED');
    }
    const beyond = swapIntent(agent.address, 101n * USD);
    const ask = async (intent: intentV1.Intent) =>
      codeOf(policy.authorize(attempt(agentId, intent, await messageOf(deployment, intent))));
    expect(await ask(beyond)).toBe('POLICY_VIOLATION');
    const ofTables = swapIntent(agent.address, USD, Buffer.alloc(32, 1));
    expect(await ask(ofTables)).toBe('VALIDATION_ERROR');
    await agent.patchPolicy({ allowTrading: false });
    const one = swapIntent(agent.address, USD);
    expect(await ask(one)).toBe('POLICY_VIOLATION');
    expect((await usageOf(agent)).reserved).toBe(0n);
  });

  it('gets no permit for a transfer that it asks for as a trade, and no signature with the permit of a trade', async () => {
    const { agent, agentId } = await victim();
    const [policy, signer] = await Promise.all([as('swap', 'policy'), as('swap', 'signer')]);
    const trade = swapIntent(agent.address, USD);
    const theft = await messageOf(deployment, transferIntent(agent.address, newRecipient(), 900n * USD));
    expect(await codeOf(policy.authorize(attempt(agentId, trade, theft)))).toBe('VALIDATION_ERROR');
    const honest = attempt(agentId, trade, await messageOf(deployment, trade));
    for (const message of [undefined, theft]) {
      expect(await codeOf(policy.authorize({ ...honest, message }))).toBe('VALIDATION_ERROR');
    }
    const { permit } = await policy.authorize(honest);
    await expect(signer.sign({ message: theft, permit, resolvedAddresses: [] })).rejects.toMatchObject({
      code: 'SIGNING_REFUSED',
    });
  });
});

describe('a compromised prediction', () => {
  it('takes no more of an agent than its limits, and nothing with the switch off', async () => {
    const { agent, agentId } = await victim();
    await agent.patchPolicy({ dailyLimitInUsd: 50 });
    const wallet = await as('prediction', 'wallet');
    const take = (amount: bigint) =>
      codeOf(wallet.move(moveRequest(agentId, 'escrow', amount), { deadlineMs: 40_000 }));
    expect(await take(51n * USD)).toBe('POLICY_VIOLATION');
    const codes = await Promise.all(Array.from({ length: 6 }, () => take(20n * USD)));
    expect(codes.filter((code) => code === 'OK')).toHaveLength(2);
    await agent.patchPolicy({ allowPredictionMarkets: false });
    expect(await take(1n)).toBe('POLICY_VIOLATION');
    expect(await usdcOf(agent.address)).toBe(960n * USD);
  });

  it('drains of the treasury what its daily limit allows, to agents alone, and each step once', async () => {
    const [one, two] = await Promise.all([victim(), victim()]);
    const wallet = await as('prediction', 'wallet');
    const before = await usdcOf(treasury);
    const operationId = newId();
    const first = () =>
      wallet.move(moveRequest(one.agentId, 'payout', 10n * USD, { operationId }), { deadlineMs: 40_000 });
    const same = await Promise.all([first(), first()]);
    expect(new Set(same.map(({ signature }) => signature)).size).toBe(1);
    const more = moveRequest(one.agentId, 'payout', 11n * USD, { operationId });
    expect(await codeOf(wallet.move(more, { deadlineMs: 40_000 }))).not.toBe('OK');
    expect(await codeOf(wallet.move({ ...more, attempt: 2 }, { deadlineMs: 40_000 }))).not.toBe('OK');
    const payOut = ({ agentId }: Victim) => ({ ...moveRequest(agentId, 'payout', 10n * USD), waitMs: 5_000 });
    const others = Array.from({ length: 12 }, (_, n) =>
      codeOf(wallet.move(payOut([one, two][n % 2]!), { deadlineMs: 40_000 })),
    );
    await Promise.all(others);
    // What was permitted to others and may still land counts, too.
    const drained = await eventually(
      async () => before - (await usdcOf(treasury)),
      (amount) => amount >= PAYOUTS_PER_DAY - 20n * USD,
    );
    expect(drained).toBeLessThanOrEqual(PAYOUTS_PER_DAY);
    const received = await Promise.all([one, two].map(({ agent }) => usdcOf(agent.address)));
    expect(received[0]! + received[1]!).toBe(2_000n * USD + drained);
  });
});

describe('a compromised operator', () => {
  it('moves nothing: neither by attributing unowned funds, nor otherwise', async () => {
    const { agent, agentId } = await victim();
    const ledger = await as('ops', 'ledger');
    const note = { operator: 'mallory', reason: 'greed' };
    await codeOf(ledger.attributeFunds({ location: 'treasury', amountUsdMicros: 0n, ...note }));
    const prediction = await as('gateway', 'prediction');
    const { body } = await agent.usage();
    expect(body.data.usedUsd).toBe(0);
    expect((await prediction.getBalance({ agentId })).balanceUsdMicros).toBe(0n);
    const [policy, signer, wallet] = await Promise.all([as('ops', 'policy'), as('ops', 'signer'), as('ops', 'wallet')]);
    const intent = transferIntent(agent.address, newRecipient(), USD);
    const message = await messageOf(deployment, intent);
    const limits = { agentId, dailyLimitUsdMicros: 1n, allowedRecipients: undefined };
    const calls = [
      policy.authorize(attempt(agentId, intent, message)),
      policy.updatePolicy(limits),
      signer.sign({ message, permit: undefined, resolvedAddresses: [] }),
      wallet.move(moveRequest(agentId, 'payout', USD)),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'CALLER_NOT_ALLOWED'));
  });
});

describe('a compromised history', () => {
  it('has nothing signed that is a message, or that counts as policy’s word', async () => {
    const { agent } = await victim();
    const signer = await as('history', 'signer');
    const message = await messageOf(deployment, transferIntent(agent.address, newRecipient(), USD));
    const roots = [Buffer.from(messageHash(message)), message.subarray(0, 32), bytesOf(agent.address)];
    const claims = roots.map((rootHash) => ({ scope: 'log', size: 1n, rootHash }));
    const { keyId, signatures } = await signer.signCheckpoints({ claims });
    const wallets = Object.values(deployment.systemWallets);
    expect(wallets).not.toContain(keyId);
    expect(isWalletAddress(keyId)).toBe(true);
    for (const signature of signatures) {
      for (const signed of [message, ...roots]) {
        for (const address of [agent.address, keyId, ...wallets]) {
          expect(verifySignature(signed, signature, address)).toBe(false);
        }
      }
    }
    const permit = { claims: message, signature: signatures[0]!, keyId };
    for (const name of ['history', 'wallet'] as const) {
      const code = await codeOf((await as(name, 'signer')).sign({ message, permit, resolvedAddresses: [] }));
      expect(code).toBe(name === 'history' ? 'CALLER_NOT_ALLOWED' : 'SIGNING_REFUSED');
    }
  });
});
