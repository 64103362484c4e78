import type { intentV1 } from '@agent-wallet/contracts';
import { addressOf, isOnCurve, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUnderTest } from './policy-under-test.js';
import {
  authorization,
  FEE_WALLET,
  nativeIntent,
  newWallet,
  SPONSOR,
  sponsored,
  transferIntent,
  unwrapIntent,
} from './service.js';

const { address } = newWallet();
const U64 = 2n ** 64n - 1n;
const RENT = 2_039_280n;
const KEPT = 890_880n;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

/** Asks for a permit as a wallet would that does not look at what it asks for. */
function authorize(intent: intentV1.Intent) {
  const { request } = authorization(policy.agentId, transferIntent(address));
  return policy.wallet.authorize({ ...request, intent });
}

const check = (intent: intentV1.Intent) => policy.wallet.dryRunAuthorize({ agentId: policy.agentId, intent });

async function expectRefusal(intent: intentV1.Intent, error: object): Promise<void> {
  await expect(check(intent)).rejects.toMatchObject(error);
  await expect(authorize(intent)).rejects.toMatchObject(error);
}

const fee = (amount: bigint, change: Partial<intentV1.Transfer> = {}) =>
  transferIntent(address, { fee: amount, feeRecipient: FEE_WALLET.address, ...change });

describe("the operator's fee", () => {
  it('counts with the amount, rounded up together', async () => {
    expect(await policy.reservedFor(fee(10_000n))).toBe(1_010_000n);
    const mint = policy.newMint('0.333333');
    expect(await policy.reservedFor(fee(1n, { mint, amount: 1_000_000n }))).toBe(333_334n);
    const native = nativeIntent(address, 100_000_000n);
    const value = { ...(native.action!.value as intentV1.Transfer), fee: 1_000_000n, feeRecipient: FEE_WALLET.address };
    expect(await policy.reservedFor({ ...native, action: { $case: 'transfer', value } })).toBe(15_150_000n);
  });

  it('goes to a wallet that needs no place among the allowed recipients', async () => {
    const recipient = newWallet().address;
    await policy.change({ allowedRecipients: { entries: [recipient] } });
    expect(await policy.reservedFor(fee(1n, { recipient }))).toBe(1_000_001n);
    await expect(authorize(transferIntent(address, { recipient: FEE_WALLET.address }))).rejects.toMatchObject({
      data: { rule: 'recipient_not_allowed' },
    });
  });

  it('takes the transfer over a limit', async () => {
    await policy.change({ maxSingleTransactionUsdMicros: 1_000_001n });
    expect(await policy.reservedFor(fee(1n))).toBe(1_000_001n);
    await expect(authorize(fee(2n))).rejects.toMatchObject({ data: { rule: 'single_transaction_limit' } });
  });
});

describe('an unwrap', () => {
  it('needs no recipient, no price and no limit, however often it is asked for', async () => {
    await policy.change({ dailyLimitUsdMicros: 1_000_000n, allowedRecipients: { entries: [newWallet().address] } });
    policy.world.pricesAreAway = true;
    try {
      const { request } = authorization(policy.agentId, unwrapIntent(address, { amount: U64 - 1n, remainder: 1n }));
      for (let i = 0; i < 3; i += 1) {
        const { permit, reservedUsdMicros } = await policy.wallet.authorize(request);
        expect(permit).toBeDefined();
        expect(reservedUsdMicros).toBe(0n);
      }
      expect(await check(request.intent!)).toMatchObject({ allowed: true, valueUsdMicros: 0n });
    } finally {
      policy.world.pricesAreAway = false;
    }
    expect(await policy.database.rows('select 1 from reservations where agent_id = $1', policy.agentId)).toHaveLength(
      1,
    );
  });

  it('is permitted when nothing is left of the day', async () => {
    await policy.change({ dailyLimitUsdMicros: 2_000_000n });
    await policy.reservedFor(transferIntent(address, { amount: 2_000_000n }));
    await policy.change({ dailyLimitUsdMicros: 1_000_000n });
    expect(await policy.reservedFor(unwrapIntent(address))).toBe(0n);
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 2_000_000n });
  });

  it('counts for a sponsor only by its network fee', async () => {
    await policy.reservedFor(sponsored(unwrapIntent(address, { remainder: 5n })));
    expect(
      await policy.database.rows(
        'select sponsored_lamports as lamports, sponsors_account as account from reservations where agent_id = $1',
        policy.agentId,
      ),
    ).toEqual([{ lamports: '10000', account: false }]);
  });
});

describe('a recipient off the curve', () => {
  const offCurve = (() => {
    for (let n = 0; ; n += 1) {
      const putative = addressOf(Buffer.alloc(32, n));
      if (!isOnCurve(putative)) return putative;
    }
  })();
  const refusal = { code: 'INVALID_ADDRESS', details: [{ field: 'to' }] };

  it('is refused unless it is listed, for tokens and for SOL', async () => {
    for (const intent of [transferIntent(address, { recipient: offCurve }), nativeIntent(address, 1n, offCurve)]) {
      await policy.change({ allowedRecipients: { entries: [] } });
      await expectRefusal(intent, refusal);
      await policy.change({ allowedRecipients: { entries: [newWallet().address] } });
      await expectRefusal(intent, refusal);
      await policy.change({ allowedRecipients: { entries: [newWallet().address, offCurve] } });
      expect(await check(intent)).toMatchObject({ allowed: true });
      await authorize(intent);
    }
  });

  it('gets no further permit once it is not listed any more', async () => {
    await policy.change({ allowedRecipients: { entries: [offCurve] } });
    const { request } = authorization(policy.agentId, transferIntent(address, { recipient: offCurve }));
    await policy.wallet.authorize(request);
    await policy.change({ allowedRecipients: { entries: [] } });
    await expect(policy.wallet.authorize(request)).rejects.toMatchObject(refusal);
  });
});

describe('a bound of sponsorship', () => {
  const newAccount = () => sponsored(transferIntent(address, { createsRecipientAccount: true }));

  it('counts rent with the network fee, while the rent is value of the agent, too', async () => {
    expect(await policy.reservedFor(newAccount())).toBe(1_000_000n + 305_892n);
    expect(
      await policy.database.rows(
        'select sponsored_lamports as lamports, sponsors_account as account from reservations where agent_id = $1',
        policy.agentId,
      ),
    ).toEqual([{ lamports: String(10_000n + RENT), account: true }]);
  });

  it('is reported with the lamports that the wallet lacks, by authorize and by dry run', async () => {
    for (let i = 0; i < 3; i += 1) await policy.reservedFor(newAccount());
    const error = (missing: bigint) => ({
      code: 'INSUFFICIENT_FUNDS',
      message: expect.stringContaining('Send at least'),
      data: { bound: 'sponsored_accounts_per_agent_day', missingLamports: String(missing) },
    });
    await expectRefusal(newAccount(), error(10_000n + RENT + KEPT));
    policy.world.lamports.set(address, 1_000_000);
    await expectRefusal(newAccount(), error(10_000n + RENT + KEPT - 1_000_000n));
    expect(await check(sponsored(transferIntent(address)))).toMatchObject({ allowed: true });
  });

  it('is reported for SOL with the amount that is sent', async () => {
    const intent = sponsored(nativeIntent(address, 7_000_000n), 5_000_000n);
    policy.world.lamports.set(address, 7_000_000);
    await policy.reservedFor(intent);
    await policy.reservedFor(intent);
    await expectRefusal(intent, {
      code: 'INSUFFICIENT_FUNDS',
      data: { bound: 'sponsored_per_agent_day', missingLamports: String(5_000_000n + KEPT) },
    });
  });

  it('leaves nothing behind when only checked', async () => {
    await check(newAccount());
    expect(await policy.database.rows('select 1 from reservations where agent_id = $1', policy.agentId)).toEqual([]);
  });
});

describe('a caller that lies', () => {
  const mint = newWallet().address;
  const unsponsoredFee = { ...transferIntent(address), maxNetworkFeeLamports: 10_000n };
  const sponsorOf = (change: Partial<intentV1.Intent>) => ({ ...sponsored(transferIntent(address)), ...change });

  it.each<[string, intentV1.Intent, string]>([
    ['the sponsor', sponsorOf({ sponsor: newWallet().address }), 'intent.sponsor'],
    ['the sponsor, being none', sponsorOf({ sponsor: '' }), 'intent.sponsor'],
    ['the sponsor of an unwrap', { ...sponsored(unwrapIntent(address)), sponsor: address }, 'intent.sponsor'],
    ['the network fee, unset', sponsorOf({ maxNetworkFeeLamports: undefined }), 'intent.maxNetworkFeeLamports'],
    ['the network fee, too small', sponsorOf({ maxNetworkFeeLamports: 9_999n }), 'intent.maxNetworkFeeLamports'],
    ['the network fee, too large', sponsorOf({ maxNetworkFeeLamports: 5_000_001n }), 'intent.maxNetworkFeeLamports'],
    ['the network fee, absurd', sponsorOf({ maxNetworkFeeLamports: U64 }), 'intent.maxNetworkFeeLamports'],
    ['a network fee without a sponsor', unsponsoredFee, 'intent.maxNetworkFeeLamports'],
    ['whose the fee is', fee(1n, { feeRecipient: newWallet().address }), 'intent.transfer.feeRecipient'],
    ['whose the fee is, not at all', fee(1n, { feeRecipient: undefined }), 'intent.transfer.feeRecipient'],
    ['the fee going to the sponsor', fee(1n, { feeRecipient: SPONSOR.address }), 'intent.transfer.feeRecipient'],
    ['a fee of nothing', fee(0n), 'intent.transfer.fee'],
    ['a fee wallet without a fee', fee(1n, { fee: undefined }), 'intent.transfer.fee'],
    ['a fee beyond u64', fee(U64), 'intent.transfer.fee'],
    ['a fee beyond u64 with the amount', fee(U64 - 999_999n), 'intent.transfer.fee'],
    ['an unwrap of nothing', unwrapIntent(address, { amount: 0n }), 'intent.unwrap.amount'],
    ['an unwrap beyond u64', unwrapIntent(address, { amount: U64, remainder: 1n }), 'intent.unwrap.remainder'],
    ['the wallet of an unwrap', unwrapIntent('me'), 'intent.wallet'],
    [
      'the mint, sponsored',
      sponsored(transferIntent(address, { mint, tokenProgram: TOKEN_PROGRAM })),
      'intent.transfer.mint',
    ],
  ])('about %s is refused by name', async (_, intent, field) => {
    await expectRefusal(intent, { code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it('cannot have an agent send to the sponsor that pays for it', async () => {
    const intent = sponsored(transferIntent(address, { recipient: SPONSOR.address }));
    await expectRefusal(intent, { code: 'INVALID_ADDRESS', details: [{ field: 'to' }] });
    expect(await policy.reservedFor(transferIntent(address, { recipient: SPONSOR.address }))).toBe(1_000_000n);
  });
});
