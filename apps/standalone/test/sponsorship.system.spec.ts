import { eventually } from '@agent-wallet/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { usedWhenQuiet } from './harness/spending.js';

const RENT = 2_039_280n;
const TWO_SIGNATURES = 10_000n;

let deployment: Deployment;
let sponsor: string;

beforeAll(async () => {
  deployment = await shareDeployment();
  sponsor = deployment.systemWallets.sponsor!;
});

const lamportsOf = (address: string) => deployment.sandbox.balanceRaw(address, 'SOL');
const usdcOf = (address: string) => deployment.sandbox.balanceRaw(address, 'USDC');

/** What the sponsor pays for while something is done. */
async function sponsored(act: () => Promise<unknown>): Promise<bigint> {
  const before = await lamportsOf(sponsor);
  await act();
  return before - (await lamportsOf(sponsor));
}

/** An agent that will never pay the network. */
const poorAgent = (usdc = 50): Promise<AgentClient> => deployment.agent({ USDC: usdc });

describe('an agent that holds only USDC', () => {
  it('sends it to a new recipient, to the last unit; the sponsor pays exactly fee and rent', async () => {
    const agent = await poorAgent();
    const to = newRecipient();
    const paid = await sponsored(async () => {
      const { status, body } = await agent.transfer({ to, amount: 50, mint: 'USDC' });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        ...{ status: 'confirmed', amountSent: 50, fee: 0, feeMode: 'added', totalDeducted: 50 },
      });
    });
    expect(paid).toBe(TWO_SIGNATURES + RENT);
    expect(await usdcOf(to)).toBe(50_000_000n);
    expect([await usdcOf(agent.address), await lamportsOf(agent.address)]).toEqual([0n, 0n]);
    // Rent that another party can take is value, regardless of who pays it.
    expect(await usedWhenQuiet(agent)).toBeGreaterThan(50_000_000n);
  });

  it('sees in a dry run that it is sponsored, and nothing is paid for that', async () => {
    const agent = await poorAgent();
    const paid = await sponsored(async () => {
      const { status, body } = await agent.dryTransfer({ to: newRecipient(), amount: 1, mint: 'USDC' });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        ...{ status: 'dry_run', sponsored: true, networkFeeLamports: 10_000, policy: { allowed: true } },
        balanceChanges: [{ symbol: 'USDC', amountRaw: '-1000000' }],
      });
    });
    expect(paid).toBe(0n);
  });

  it('shows it in history, which names the transaction by its id on chain', async () => {
    const agent = await poorAgent();
    const { data } = (await agent.transfer({ to: newRecipient(), amount: 1, mint: 'USDC' })).body;
    const [landed] = await deployment.sandbox.transactions(sponsor);
    expect(landed).toMatchObject({ signature: data.signature, err: null });
    const { transactions } = (
      await eventually(
        () => agent.transfers(),
        ({ body }) => body.data.transactions[0]?.status === 'confirmed',
      )
    ).body.data;
    expect(transactions[0]).toMatchObject({ id: data.transactionId, signature: data.signature });
  });

  it('opens three new accounts a day, and learns what it lacks for the fourth', async () => {
    const agent = await poorAgent();
    const send = () => agent.transfer({ to: newRecipient(), amount: 1, mint: 'USDC' });
    for (let i = 0; i < 3; i += 1) expect((await send()).status).toBe(200);
    const paid = await sponsored(async () => {
      const { status, body } = await send();
      expect([status, body.data.code]).toEqual([400, 'INSUFFICIENT_FUNDS']);
      expect(body.data).toHaveProperty('missingLamports');
    });
    expect(paid).toBe(0n);
    await deployment.sandbox.faucet(agent.address, 'SOL', 0.01);
    expect((await send()).status).toBe(200);
  });
});

describe('an agent that holds only USDC, and buys SOL', () => {
  const BUY = { from: 'USDC', to: 'SOL', amount: 20 };

  it('gets all of it; the sponsor pays the network, and gets back the rent of the account that was needed', async () => {
    const agent = await poorAgent();
    const paid = await sponsored(async () => {
      const shown = await agent.dryTrade(BUY);
      expect(shown.body.data).toMatchObject({ status: 'dry_run', sponsored: true, policy: { allowed: true } });
      const { status, body } = await agent.trade(BUY);
      expect([status, body.data.status]).toEqual([200, 'confirmed']);
      expect(await lamportsOf(agent.address)).toBe(BigInt((body.data as { outputAmountRaw: string }).outputAmountRaw));
    });
    expect(paid).toBeGreaterThanOrEqual(TWO_SIGNATURES);
    expect(paid).toBeLessThan(200_000n);
    expect(await usdcOf(agent.address)).toBe(30_000_000n);
    const { transactions } = (
      await eventually(
        () => agent.history('trade'),
        ({ body }) => body.data.transactions[0]?.status === 'confirmed',
      )
    ).body.data;
    expect(transactions[0]).toMatchObject({ metadata: { sponsored: true } });
    const sale = await agent.trade({ from: 'SOL', to: 'USDC', amount: 0.01 });
    expect(sale.status).toBe(200);
  });
});

describe('the agents of one mailbox', () => {
  const logIn = async (tag: string) => {
    const email = `collector+${tag}@agents.example`;
    const agent = await AgentClient.logIn(deployment.url(), deployment.sandbox, email);
    await deployment.sandbox.faucet(agent.address, 'USDC', 10);
    return agent;
  };

  it('have no account opened for dust, and three a day together for payments that are worth it', async () => {
    const agents = await Promise.all(['a', 'b', 'c'].map(logIn));
    const paid = await sponsored(async () => {
      for (const agent of agents) {
        const { status, body } = await agent.transfer({ to: newRecipient(), amount: 0.000001, mint: 'USDC' });
        expect([status, body.data]).toMatchObject([
          400,
          { code: 'INSUFFICIENT_FUNDS', bound: 'sponsored_payment_below_rent' },
        ]);
      }
      for (const agent of agents) {
        expect((await agent.transfer({ to: newRecipient(), amount: 1, mint: 'USDC' })).status).toBe(200);
      }
      for (const agent of agents) {
        const { status, body } = await agent.transfer({ to: newRecipient(), amount: 1, mint: 'USDC' });
        expect([status, body.data]).toMatchObject([400, { bound: 'sponsored_accounts_per_agent_day' }]);
      }
    });
    expect(paid).toBe(3n * (TWO_SIGNATURES + RENT));
  });
});

describe('an agent that can pay', () => {
  it('pays by itself', async () => {
    const agent = await deployment.agent({ SOL: 0.01, USDC: 5 });
    const paid = await sponsored(async () => {
      expect((await agent.transfer({ to: newRecipient(), amount: 1, mint: 'USDC' })).status).toBe(200);
    });
    expect(paid).toBe(0n);
    expect(await lamportsOf(agent.address)).toBe(10_000_000n - 5_000n - RENT);
  });
});

describe('the whole balance', () => {
  it('of SOL, sent twice at the same instant, lands once', async () => {
    const agent = await deployment.agent({ SOL: 0.5 });
    const recipients = [newRecipient(), newRecipient()];
    const answers = await Promise.all(recipients.map((to) => agent.transfer({ to, amount: 0.5 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(['INSUFFICIENT_FUNDS', 'TRANSACTION_FAILED']).toContain(
      answers.find(({ status }) => status === 400)?.body.data.code,
    );
    const got = await Promise.all(recipients.map(lamportsOf));
    expect(got.reduce((sum, each) => sum + each, 0n)).toBe(500_000_000n);
    expect(await lamportsOf(agent.address)).toBe(0n);
  });

  it('of USDC, sent ten times at the same instant, lands once', async () => {
    const agent = await poorAgent();
    const to = newRecipient();
    const send = () => agent.transfer({ to, amount: 50, mint: 'USDC' });
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
    expect(await usdcOf(to)).toBe(50_000_000n);
  });
});

describe('a sponsor', () => {
  /** Lets the wallet, or the wallet and policy, believe in a sponsor. */
  const believe = async (processes: readonly string[], environment: Record<string, string>) => {
    for (const name of processes) {
      await deployment.kill(name);
      await deployment.restart(name, environment);
    }
    // Until the gateway has found them again.
    const reads = [() => agent.balances(), () => agent.usage()];
    for (const read of reads) await eventually<{ status: number }>(read, ({ status }) => status === 200);
  };
  let agent: AgentClient;
  beforeEach(async () => {
    agent = await poorAgent();
  });
  const send = async () => {
    const answer = await agent.transfer({ to: newRecipient(), amount: 1, mint: 'USDC' });
    return { status: answer.status, code: answer.body.data.code, data: answer.body.data };
  };

  it('that is switched off leaves the agent with what it lacks, by name', async () => {
    await believe(['wallet-0'], { FEE_SPONSOR: 'off' });
    const { status, code, data } = await send();
    expect([status, code]).toEqual([400, 'INSUFFICIENT_FUNDS']);
    expect(data).toMatchObject({ missingLamports: Number(5_000n + RENT) });
  });

  it('that holds nothing is reported as insufficient funds, not as an internal error', async () => {
    const SPONSOR_ADDRESS = newRecipient();
    await believe(['policy-0', 'wallet-0'], { SPONSOR_ADDRESS });
    expect(await send()).toMatchObject({ status: 400, code: 'INSUFFICIENT_FUNDS' });
  });

  it('that is not the one policy knows, or has no key, pays nothing and moves nothing', async () => {
    const SPONSOR_ADDRESS = newRecipient();
    await deployment.sandbox.faucet(SPONSOR_ADDRESS, 'SOL', 1);
    await believe(['wallet-0'], { SPONSOR_ADDRESS });
    expect((await send()).status).not.toBe(200);
    await believe(['policy-0'], { SPONSOR_ADDRESS });
    expect((await send()).status).not.toBe(200);
    expect([await lamportsOf(SPONSOR_ADDRESS), await usdcOf(agent.address)]).toEqual([1_000_000_000n, 50_000_000n]);
    await believe(['policy-0', 'wallet-0'], {});
    expect((await send()).status).toBe(200);
  });
});
