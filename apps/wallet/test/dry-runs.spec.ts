import { newAddress } from '@agent-wallet/solana/corpus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { policyV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import { WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { DryRunTransfer } from '../src/application/transfers/transfer.js';
import { unwrapRequestOf } from '../src/grpc/messages.js';
import { DryRunUnwrap } from '../src/application/unwraps/unwrap.js';
import { UnwrapHandler } from '../src/application/unwraps/unwrap-handler.js';
import { FakeChain, FakeWallets, QUIET, REGISTRY, transferHandler, transferRequest } from './fakes.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const RENT = 2_039_280n;
const USAGE = policyV1.GetUsageResponse.decode(Buffer.alloc(0));
const agentId = newId();
const wallet = newAddress();
const sponsor = newAddress();
const decision: policyV1.DryRunAuthorizeResponse = { allowed: false, rule: 'daily_limit', usage: undefined };

let chain: FakeChain;
let asked: policyV1.DryRunAuthorizeRequest[];
let answer: policyV1.DryRunAuthorizeResponse | Error;
let transfers: DryRunTransfer;
let unwraps: DryRunUnwrap;
let to: string;
let stop: AppError | undefined;

beforeEach(async () => {
  chain = new FakeChain();
  chain.fund(wallet, 1_000_000_000n);
  chain.fund(sponsor, 1_000_000_000n);
  chain.hold({ owner: wallet, mint: USDC, amount: 10_000_000n });
  asked = [];
  answer = decision;
  stop = undefined;
  to = newAddress();
  const policy = {
    dryRunAuthorize: async (request: policyV1.DryRunAuthorizeRequest) => {
      asked.push(request);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    checkSpending: async () => {
      if (stop) throw stop;
      return {};
    },
    getUsage: async () => USAGE,
  };
  const wallets = new FakeWallets();
  await wallets.add(agentId, wallet);
  const handler = await transferHandler(chain, { agentId, wallet }, { sponsor });
  transfers = new DryRunTransfer(wallets, handler, { registry: REGISTRY, policy, chain });
  unwraps = new DryRunUnwrap(
    new UnwrapHandler({ wallets, chain, operator: { sponsor }, priority: QUIET }),
    policy,
    chain,
  );
});

const transfer = (over: object = {}) =>
  transfers.execute(agentId, transferRequest({ to, mint: 'USDC', amount: '10', memo: '', ...over }));

describe('a dry run of a transfer', () => {
  it("has policy's decision about the very intent, a refusal too, and what the wallet would lose", async () => {
    const { plan, dryRun } = await transfer();
    expect(plan).toMatchObject({ amount: 10_000_000n, rentLamports: RENT });
    expect(dryRun).toEqual({
      decision,
      networkFeeLamports: 5_000n,
      isSponsored: false,
      balanceChanges: [
        { mint: USDC, symbol: 'USDC', decimals: 6, amount: -10_000_000n },
        { mint: '', symbol: 'SOL', decimals: 9, amount: -5_000n - RENT },
      ],
    });
    expect(asked).toMatchObject([{ agentId, intent: { wallet, action: { value: { recipient: to } } } }]);
  });

  it('fails as the transfer would when a simulation of what policy allows fails', async () => {
    chain.simulated = JSON.stringify({ InstructionError: [2, 'ProgramFailedToComplete'] });
    await expect(transfer({ memo: '发票' })).resolves.toMatchObject({ dryRun: { decision } });
    answer = { ...decision, allowed: true, rule: '' };
    await expect(transfer({ memo: '发票' })).rejects.toMatchObject({
      code: 'TRANSACTION_FAILED',
      message: expect.stringContaining('(the memo program) ran out of compute units'),
      data: { suggestion: 'Shorten the memo, or leave it out.' },
    });
  });

  it('of a sponsored one says so', async () => {
    chain.all.delete(wallet);
    expect((await transfer()).dryRun).toMatchObject({
      ...{ networkFeeLamports: 10_000n, isSponsored: true },
      balanceChanges: [{ mint: USDC, amount: -10_000_000n }],
    });
    expect(asked[0]?.intent).toMatchObject({ sponsor, maxNetworkFeeLamports: 10_000n });
  });

  it.each([
    ['a token that is not known', { mint: 'usdx' }, 'UNKNOWN_TOKEN'],
    ['the mint of a token', { to: USDC }, 'INVALID_ADDRESS'],
    ['a reserved address', { to: '11111111111111111111111111111111' }, 'INVALID_ADDRESS'],
    ['no address', { to: 'nowhere' }, 'INVALID_ADDRESS'],
    ['the own wallet', { to: wallet }, 'VALIDATION_ERROR'],
    ['more than there is', { amount: '10.000001' }, 'INSUFFICIENT_FUNDS'],
    ['too many decimals', { amount: '0.0000001' }, 'VALIDATION_ERROR'],
  ])('of %s is refused as the transfer would be', async (_, over, code) => {
    await expect(transfer(over)).rejects.toMatchObject({ code });
    expect(asked).toEqual([]);
  });

  it('takes a built-in symbol in any case', async () => {
    expect((await transfer({ mint: 'usdc' })).plan).toMatchObject({ mint: USDC, symbol: 'USDC' });
  });

  it('says which token is sent to as if it were a wallet', async () => {
    await expect(transfer({ to: USDC })).rejects.toMatchObject({
      message: 'to is the mint of USDC, not a wallet. Put it in `mint`.',
      data: { problem: 'mint' },
    });
  });

  it('of a frozen agent without the money says that it is frozen', async () => {
    stop = new AppError('POLICY_VIOLATION', { data: { rule: 'frozen' } });
    const { plan, dryRun } = await transfer({ amount: '10.000001' });
    expect(plan).toMatchObject({ mint: USDC, amount: 10_000_001n });
    expect(dryRun).toEqual({
      decision: { allowed: false, rule: 'frozen', valueUsdMicros: 0n, usage: USAGE },
      ...{ networkFeeLamports: 0n, isSponsored: false, balanceChanges: [] },
    });
    expect((await transfer()).dryRun.decision).toEqual(decision);
  });

  it('passes on what policy cannot grant at all, and asks it about off-curve addresses', async () => {
    answer = new AppError('INVALID_ADDRESS', { data: { problem: 'off_curve' } });
    const offCurve = 'EcxjN4mea6Ah9WSqZhLtSJJCZcxY73Vaz6UVHFZZ5Ttz';
    await expect(transfer({ to: offCurve })).rejects.toBe(answer);
    expect(asked).toHaveLength(1);
  });

  it('of an agent without a wallet finds none', async () => {
    const lost = transfers.execute(newId(), transferRequest({ to, mint: '', amount: '1', memo: '' }));
    await expect(lost).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a dry run of an unwrap', () => {
  it('has what changes', async () => {
    chain.hold({ owner: wallet, mint: WRAPPED_SOL_MINT, amount: 500_000_000n }, { lamports: 500_000_000n + RENT });
    const { plan, dryRun } = await unwraps.execute(agentId, {});
    expect(plan.amount).toBe(500_000_000n);
    expect(dryRun.balanceChanges).toEqual([
      { mint: WRAPPED_SOL_MINT, symbol: 'wSOL', decimals: 9, amount: -500_000_000n },
      { mint: '', symbol: 'SOL', decimals: 9, amount: 500_000_000n + RENT - 5_000n },
    ]);
  });

  it('is refused as the unwrap would be', async () => {
    await expect(unwraps.execute(agentId, {})).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    expect(() => unwrapRequestOf({ amount: '-1' })).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});
