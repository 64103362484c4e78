import { beforeAll, describe, expect, it } from '@jest/globals';
import { associatedTokenAddress, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { eventually } from '@agent-wallet/testing';
import type { AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const RENT = 2_039_280n;
const NETWORK_FEE = 5_000n;

let deployment: Deployment;
let fees: string;

beforeAll(async () => {
  deployment = await shareDeployment({ leavesMarkets: true });
  fees = deployment.systemWallets.fees!;
  await deployment.sandbox.setPrice({ token: 'SOL', usd: 125 });
});

const balance = (address: string, token: string) => deployment.sandbox.balanceRaw(address, token);

describe('a token whose mint takes a fee', () => {
  it('arrives less that fee, as predicted, and every unit is accounted for', async () => {
    const { sandbox } = deployment;
    const mint = await sandbox.createMint({
      ...{ symbol: 'FEE', decimals: 6, program: 'token-2022', transferFeeBps: 137, usd: 1 },
    });
    const agent = await deployment.agent({ SOL: 1, [mint]: 50 });
    const order = { to: newRecipient(), amount: 12.345679, mint };
    // 1.37 % of 12 345 679 is 169 135.8…, rounded up.
    const expected = { amountRaw: '12345679', amountSent: 12.176543, fee: 0, totalDeducted: 12.345679 };
    const before = await balance(agent.address, 'SOL');
    expect((await agent.dryTransfer(order)).body.data).toMatchObject({ ...expected, status: 'dry_run' });
    expect((await agent.transfer(order)).body.data).toMatchObject({ ...expected, status: 'confirmed' });
    expect(await balance(order.to, mint)).toBe(12_176_543n);
    expect(await balance(agent.address, mint)).toBe(50_000_000n - 12_345_679n);
    const rent = (128n + 182n) * 6_960n;
    expect(await balance(agent.address, 'SOL')).toBe(before - NETWORK_FEE - rent);
    expect((await agent.tokenFacts(mint)).body.data).toMatchObject({
      verified: false,
      safety: { transferFeeBps: 137, unsafeExtensions: [] },
    });
  });
});

describe('a token that a third party controls', () => {
  it.each([
    ['transferHook', 'transferHook'],
    ['permanentDelegate', 'permanentDelegate'],
    ['pausable', 'pausable'],
    ['nonTransferable', 'nonTransferable'],
    ['defaultFrozen', 'defaultAccountState'],
  ])('by %s is refused by name, and its facts say so', async (extension, name) => {
    const { sandbox } = deployment;
    const order = {
      symbol: extension.toUpperCase(),
      decimals: 6,
      program: 'token-2022',
      extensions: [extension],
      transferFeeBps: 1,
    };
    const mint = await sandbox.createMint({ ...order, usd: 1 });
    const agent = await deployment.agent({ SOL: 1, [mint]: 5 });
    const { status, body } = await agent.transfer({ to: newRecipient(), amount: 1, mint });
    expect([status, body.data.code]).toEqual([400, 'UNSAFE_TOKEN']);
    expect(body.message).toContain(name);
    expect((await agent.tokenFacts(mint)).body.data.safety.unsafeExtensions).toEqual([name]);
    expect(await balance(agent.address, mint)).toBe(5_000_000n);
  });
});

describe('wrapped SOL', () => {
  const account = (agent: AgentClient) => balance(agent.address, WRAPPED_SOL);

  it('becomes SOL: a part, then all, and then there is none', async () => {
    const agent = await deployment.agent({ SOL: 1, [WRAPPED_SOL]: 2 });
    const start = await balance(agent.address, 'SOL');
    expect((await agent.unwrap({ amount: 0.5 })).body.data).toMatchObject({
      ...{ status: 'confirmed', amount: '0.5 SOL', amountRaw: '500000000' },
    });
    expect(await account(agent)).toBe(1_500_000_000n);
    expect(await balance(agent.address, 'SOL')).toBe(start + 500_000_000n - NETWORK_FEE);
    expect((await agent.unwrap({ amount: 1.500000001 })).body.data.code).toBe('INSUFFICIENT_FUNDS');
    expect((await agent.unwrap()).body.data).toMatchObject({ status: 'confirmed', amountRaw: '1500000000' });
    expect(await balance(agent.address, 'SOL')).toBe(start + 2_000_000_000n + RENT - 2n * NETWORK_FEE);
    const none = await agent.unwrap();
    expect([none.status, none.body.data.code]).toEqual([400, 'INSUFFICIENT_FUNDS']);
  });

  it('of an agent without SOL is unwrapped by the sponsor, also only in part', async () => {
    const agent = await deployment.agent({ [WRAPPED_SOL]: 2 });
    const sponsor = deployment.systemWallets.sponsor!;
    const before = await balance(sponsor, 'SOL');
    expect((await agent.unwrap({ amount: 0.0008 })).body.data.code).toBe('VALIDATION_ERROR');
    expect((await agent.unwrap({ amount: 0.001 })).body.data).toMatchObject({ status: 'confirmed' });
    expect(await balance(sponsor, 'SOL')).toBe(before - 2n * NETWORK_FEE);
    expect([await balance(agent.address, 'SOL'), await account(agent)]).toEqual([1_000_000n, 1_999_000_000n]);
  });

  it('unwrapped twice at the same instant is unwrapped once', async () => {
    const agent = await deployment.agent({ SOL: 1, [WRAPPED_SOL]: 2 });
    const start = await balance(agent.address, 'SOL');
    const answers = await Promise.all([agent.unwrap(), agent.unwrap()]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const gained = (await balance(agent.address, 'SOL')) - start;
    expect([2_000_000_000n + RENT - NETWORK_FEE, 2_000_000_000n + RENT - 2n * NETWORK_FEE]).toContain(gained);
  });

  it('unwrapped in parts at the same instant becomes as much SOL as the answers say', async () => {
    const agent = await deployment.agent({ SOL: 1, [WRAPPED_SOL]: 2 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => agent.unwrap({ amount: 0.1 })));
    const done = BigInt(answers.filter(({ status }) => status === 200).length);
    expect(done).toBeGreaterThan(0n);
    expect(answers.every(({ status, body }) => status === 200 || body.data.code === 'TRANSACTION_FAILED')).toBe(true);
    expect(await account(agent)).toBe(2_000_000_000n - done * 100_000_000n);
  });

  it('that is sent away meanwhile is not reported as unwrapped', async () => {
    const agent = await deployment.agent({ SOL: 1, [WRAPPED_SOL]: 2 });
    const start = await balance(agent.address, 'SOL');
    await agent.patchPolicy({ maxSingleTransactionInUsd: 1_000 });
    const send = { to: newRecipient(), amount: 0.5, mint: WRAPPED_SOL };
    const [sent, unwrapped] = await Promise.all([agent.transfer(send), agent.unwrap()]);
    const wrapped = 2_000_000_000n - (sent.status === 200 ? 500_000_000n : 0n) - (await account(agent));
    expect(BigInt(unwrapped.status === 200 ? unwrapped.body.data.amountRaw : 0)).toBe(wrapped);
    expect(sent.status === 200 || unwrapped.status === 200).toBe(true);
    expect(await balance(agent.address, 'SOL')).toBeLessThanOrEqual(start + wrapped + RENT);
  });

  it('is unwrapped regardless of the limits, and no other party gets any of it', async () => {
    const agent = await deployment.agent({ SOL: 1, [WRAPPED_SOL]: 2 });
    await agent.patchPolicy({ dailyLimitInUsd: 0.01, maxSingleTransactionInUsd: 0.01 });
    expect((await agent.unwrap()).status).toBe(200);
    expect((await agent.usage()).body.data.usedUsd).toBe(0);
  });
});

describe('an address off the curve', () => {
  const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

  it('is sent to when the agent itself lists it, unless it is a token account, a mint or a program', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 5 });
    const owner = newRecipient();
    const to = associatedTokenAddress({ owner, mint: USDC, tokenProgram: TOKEN_PROGRAM });
    const codeOf = async (recipient: string) =>
      (await agent.transfer({ to: recipient, amount: 0.1, mint: 'USDC' })).body.data.code;
    expect(await codeOf(to)).toBe('INVALID_ADDRESS');
    expect((await agent.dryTransfer({ to, amount: 0.1, mint: 'USDC' })).body.data.code).toBe('INVALID_ADDRESS');
    await agent.patchPolicy({ allowedRecipients: [to] });
    expect(await codeOf(to)).toBeUndefined();
    expect(await balance(to, 'USDC')).toBe(100_000n);
    // Now it is a token account.
    await deployment.sandbox.faucet(owner, 'USDC', 1);
    expect(await codeOf(to)).toBe('INVALID_ADDRESS');
    expect(await codeOf(USDC)).toBe('INVALID_ADDRESS');
    expect(await codeOf(TOKEN_PROGRAM)).toBe('INVALID_ADDRESS');
  });
});

describe("the operator's fee", () => {
  beforeAll(async () => {
    await deployment.sandbox.faucet(fees, 'USDC', 1);
    const agent = await deployment.agent({});
    await deployment.kill('wallet-0');
    await deployment.restart('wallet-0', { TRANSFER_FEE_BPS: '50', TRANSFER_FEE_FLAT_USD: '0.25' });
    await eventually<{ status: number }>(
      () => agent.balances(),
      ({ status }) => status === 200,
    );
  });

  /** What the operator gets while something is done. */
  const earned = async (token: string, act: () => Promise<unknown>) => {
    const before = await balance(fees, token);
    await act();
    return (await balance(fees, token)) - before;
  };

  it('is added where the balance covers it, and counts against the limits', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 10.3 });
    const to = newRecipient();
    await agent.patchPolicy({ maxSingleTransactionInUsd: 10.6 });
    const order = { to, amount: 10, mint: 'USDC' };
    const expected = { amountSent: 10, fee: 0.3, feeMode: 'added', totalDeducted: 10.3 };
    const got = await earned('USDC', async () => {
      expect((await agent.dryTransfer(order)).body.data).toMatchObject(expected);
      await agent.patchPolicy({ maxSingleTransactionInUsd: 10.2 });
      expect((await agent.transfer(order)).body.data).toMatchObject({ code: 'POLICY_VIOLATION' });
      await agent.patchPolicy({ maxSingleTransactionInUsd: 100 });
      expect((await agent.transfer(order)).body.data).toMatchObject({ ...expected, status: 'confirmed' });
    });
    expect([got, await balance(to, 'USDC'), await balance(agent.address, 'USDC')]).toEqual([300_000n, 10_000_000n, 0n]);
  });

  it('is deducted from one unit less on', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 10.299999 });
    const to = newRecipient();
    const got = await earned('USDC', async () => {
      expect((await agent.transfer({ to, amount: 10, mint: 'USDC' })).body.data).toMatchObject({
        ...{ status: 'confirmed', amountSent: 9.7, fee: 0.3, feeMode: 'deducted', totalDeducted: 10 },
      });
    });
    expect([got, await balance(to, 'USDC'), await balance(agent.address, 'USDC')]).toEqual([
      300_000n,
      9_700_000n,
      299_999n,
    ]);
  });

  it('is taken of SOL, and together with a sponsor', async () => {
    const agent = await deployment.agent({ SOL: 0.2 });
    const to = newRecipient();
    const got = await earned('SOL', async () => {
      expect((await agent.transfer({ to, amount: 0.197014926 })).body.data).toMatchObject({
        ...{ status: 'confirmed', feeMode: 'added', fee: 0.002985074, totalDeducted: 0.2 },
      });
    });
    expect([got, await balance(agent.address, 'SOL')]).toEqual([2_985_074n, 0n]);
  });

  it('is not taken of a token that the operator has no account for', async () => {
    const mint = await deployment.sandbox.createMint({ symbol: 'NEW', decimals: 6, program: 'token', usd: 1 });
    const agent = await deployment.agent({ SOL: 1, [mint]: 5 });
    expect((await agent.transfer({ to: newRecipient(), amount: 5, mint })).body.data).toMatchObject({
      ...{ status: 'confirmed', amountSent: 5, fee: 0, totalDeducted: 5 },
    });
  });

  it('of more than the amount leaves nothing to send', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 0.25 });
    const { status, body } = await agent.transfer({ to: newRecipient(), amount: 0.25, mint: 'USDC' });
    expect([status, body.data.code]).toEqual([400, 'INSUFFICIENT_FUNDS']);
  });
});
