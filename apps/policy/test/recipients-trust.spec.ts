import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { challengeOf, documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { authorization, escrowIntent, newWallet, type PolicyClient, swapIntent, transferIntent } from './service.js';

const USD = 1_000_000n;
const { NEW_RECIPIENTS_ALLOW, NEW_RECIPIENTS_APPROVE, NEW_RECIPIENTS_DENY } = policyV1.NewRecipients;
const REQUIRED = { code: 'APPROVAL_REQUIRED' };

let policy: OwnersUnderTest;
let wallet: PolicyClient;
let swap: PolicyClient;
let owner: TestOwner;
let own: string;

beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  [wallet, swap] = await Promise.all([policy.service.as('wallet'), policy.service.as('swap')]);
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  own = newWallet().address;
});
afterEach(() => policy.database.shiftClock('0'));

const claim = async () => {
  owner = await policy.newClaim();
};
const sending = (recipient: string, amount: bigint, change: Partial<intentV1.Transfer> = {}) =>
  authorization(policy.agentId, transferIntent(own, { amount, recipient, ...change })).request;
const pay = (recipient: string, amount: bigint) => wallet.authorize(sending(recipient, amount));

/** Settles an operation as if its transaction had landed. */
const settled = ({ operationId }: policyV1.AuthorizeRequest, recipient: string) =>
  policy.database.rows(
    `select settle($1, array[json_populate_record(null::settlement, json_build_object('operation_id', $2::text, 'step', 1,
       'attempt', 1, 'outcome', 'settled', 'recipient', $3::text, 'event_id', gen_random_uuid(), 'payload', '\\x00'))])`,
    policy.agentId,
    operationId,
    recipient,
  );

async function paid(recipient: string, amount = USD): Promise<void> {
  const request = sending(recipient, amount);
  await wallet.authorize(request);
  await settled(request, recipient);
}

const awaiting = (request: policyV1.AuthorizeRequest) => policy.awaiting(wallet, request, owner);

const choose = async ({ approvalId }: policyV1.Approval, trust: string) =>
  (await policy.owners.chooseTrust({ approvalId, ownerId: owner.ownerId, trust })).approval!;

/** A payment that the owner signs with a trust, and that has settled. */
async function signed(recipient: string, amount: bigint, trust: string): Promise<void> {
  const request = sending(recipient, amount);
  await policy.vote(owner, await choose(await awaiting(request), trust));
  await wallet.authorize(request);
  await settled(request, recipient);
}

const listed = async () => {
  const { recipients } = await policy.owners.getAgent({ agentId: policy.agentId, ownerId: owner.ownerId });
  return recipients.map(({ address, trust }) => [address, trust]);
};

describe('a payment from before', () => {
  const thief = newWallet().address;

  it('the claim makes no one known', async () => {
    await paid(thief);
    await claim();
    await policy.change({ newRecipients: NEW_RECIPIENTS_APPROVE });
    await expect(pay(thief, USD)).rejects.toMatchObject(REQUIRED);
    expect(await listed()).toEqual([]);
  });

  it('the rule, under the same owner, makes no one known; neither does one on its way meanwhile', async () => {
    await claim();
    await paid(thief);
    expect(await listed()).toEqual([[thief, '']]);
    const onItsWay = sending(newWallet().address, USD);
    await wallet.authorize(onItsWay);
    await policy.change({ newRecipients: NEW_RECIPIENTS_DENY });
    const { recipient } = (onItsWay.intent!.action as { value: intentV1.Transfer }).value;
    await settled(onItsWay, recipient);
    for (const each of [thief, recipient]) {
      await expect(pay(each, USD)).rejects.toMatchObject({ data: { rule: 'new_recipient' } });
    }
    // The moment is a new one each time that the rule leaves `allow`.
    await policy.vote(owner, await policy.propose({ newRecipients: NEW_RECIPIENTS_ALLOW }));
    await paid(thief);
    expect(await listed()).toEqual([[thief, '']]);
    await policy.change({ newRecipients: NEW_RECIPIENTS_DENY });
    expect(await listed()).toEqual([]);
    await expect(pay(thief, USD)).rejects.toMatchObject({ data: { rule: 'new_recipient' } });
  });

  it('counts no more, and hides none that counts', async () => {
    await paid(thief);
    await claim();
    await paid(thief);
    expect(await listed()).toEqual([[thief, '']]);
  });
});

describe('a signed payment', () => {
  const payee = newWallet().address;
  beforeEach(async () => {
    await claim();
    await policy.change({ newRecipients: NEW_RECIPIENTS_APPROVE });
  });

  it('says `once` unless the owner chooses, and makes its recipient known by nothing', async () => {
    const request = sending(payee, USD);
    const approval = await awaiting(request);
    expect(documentOf(approval).terms).toMatchObject({ trust: 'once' });
    await policy.vote(owner, approval);
    await wallet.authorize(request);
    await settled(request, payee);
    await expect(pay(payee, 1n)).rejects.toMatchObject(REQUIRED);
    expect(await listed()).toEqual([]);
  });

  it('with `always` makes it known once it is used', async () => {
    await signed(payee, USD, 'always');
    expect((await pay(payee, 50n * USD)).reservedUsdMicros).toBe(50n * USD);
    expect(await listed()).toEqual([[payee, 'always']]);
  });

  it('with `daily_amount` allows as much in 24 hours, to the base unit, of that token alone', async () => {
    await signed(payee, 10n * USD, 'daily_amount');
    await expect(pay(payee, 1n)).rejects.toMatchObject(REQUIRED);
    await policy.database.shiftClock('25 hours');
    expect((await pay(payee, 4n * USD)).reservedUsdMicros).toBe(4n * USD);
    await expect(pay(payee, 6n * USD + 1n)).rejects.toMatchObject(REQUIRED);
    const rest = sending(payee, 6n * USD);
    for (let n = 0; n < 2; n += 1) expect((await wallet.authorize(rest)).reservedUsdMicros).toBe(6n * USD);
    await settled(rest, payee);
    await expect(pay(payee, 1n)).rejects.toMatchObject(REQUIRED);
    const native = { mint: '', tokenProgram: '', decimals: 9 };
    await policy.database.shiftClock('50 hours');
    await expect(wallet.authorize(sending(payee, 1n, native))).rejects.toMatchObject(REQUIRED);
    expect(await listed()).toEqual([[payee, 'daily_amount']]);
  });

  it('waits for the cool-down before it says anything', async () => {
    await policy.change({ newRecipientCoolDownHours: 24 });
    await signed(payee, USD, 'always');
    await expect(pay(payee, USD)).rejects.toMatchObject(REQUIRED);
    await policy.database.shiftClock('24 hours 1 minute');
    expect((await pay(payee, USD)).reservedUsdMicros).toBe(USD);
  });

  it('has another document for another trust, and only the latest can be signed', async () => {
    const request = sending(payee, USD);
    const first = await awaiting(request);
    let second!: policyV1.Approval;
    const facts = await policy.factsDuring(policy.agentId, async () => {
      second = await choose(first, 'always');
      expect(await choose(first, 'always')).toEqual(second);
    });
    expect(facts).toEqual([
      {
        $case: 'approvalRequested',
        value: { approvalId: first.approvalId, kind: 'operation', document: second.document },
      },
    ]);
    const { nonce: _, terms, ...same } = documentOf(first);
    expect(documentOf(second)).toMatchObject({ ...same, terms: { ...(terms as object), trust: 'always' } });
    expect(challengeOf(second.document)).not.toEqual(challengeOf(first.document));
    await expect(policy.vote(owner, first)).rejects.toMatchObject({ code: 'ASSERTION_INVALID' });
    await policy.vote(owner, second);
    await expect(choose(second, 'once')).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
  });

  it('has at most ten documents, and others or other kinds have no such choice', async () => {
    const approval = await awaiting(sending(payee, USD));
    const { approvalId } = approval;
    const stranger = await policy.newOwner();
    const byStranger = policy.owners.chooseTrust({ approvalId, ownerId: stranger.ownerId, trust: 'always' });
    await expect(byStranger).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(choose(approval, 'for ever')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    for (let n = 0; n < 9; n += 1) await choose(approval, n % 2 === 0 ? 'always' : 'once');
    await expect(choose(approval, 'once')).rejects.toMatchObject({ data: { rule: 'too_many_approvals' } });
    const proposal = await policy.propose({ newRecipients: NEW_RECIPIENTS_ALLOW });
    await expect(choose(proposal, 'always')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('a recipient that an owner forgets', () => {
  const payee = newWallet().address;
  beforeEach(async () => {
    await claim();
    await policy.change({ newRecipients: NEW_RECIPIENTS_APPROVE });
  });
  const forget = async (ownerId = owner.ownerId) =>
    (await policy.owners.forgetRecipient({ agentId: policy.agentId, ownerId, address: payee })).changed;

  it('is as new, also when a payment from before settles afterwards', async () => {
    await signed(payee, USD, 'always');
    const request = sending(payee, USD);
    await wallet.authorize(request);
    expect([await forget(), await forget()]).toEqual([true, false]);
    await settled(request, payee);
    await expect(pay(payee, USD)).rejects.toMatchObject(REQUIRED);
    const stranger = await policy.newOwner();
    await expect(forget(stranger.ownerId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('stays new when an approval is used that was signed before; that payment itself is made', async () => {
    const requests = [sending(payee, USD), sending(payee, USD)];
    const approvals: policyV1.Approval[] = [];
    for (const request of requests) approvals.push(await awaiting(request));
    for (const approval of approvals) await policy.vote(owner, await choose(approval, 'always'));
    await wallet.authorize(requests[0]!);
    await pay(payee, USD);
    await forget();
    expect((await wallet.authorize(requests[1]!)).permit).toBeDefined();
    await expect(pay(payee, USD)).rejects.toMatchObject(REQUIRED);
  });

  it('is noted in the audit log once, with the owner', async () => {
    await signed(payee, USD, 'always');
    const facts = await policy.factsDuring(policy.agentId, async () => {
      await forget();
      await forget();
    });
    const acts = facts.flatMap((fact) => (fact.$case === 'operatorActed' ? [fact.value] : []));
    const [operator, action] = [`owner ${owner.ownerId}`, 'forget_recipient'];
    expect(acts).toEqual([{ operator, action, reason: payee, operationId: '' }]);
  });

  it('is so, too, when a signature, or a tightening, takes it off the list', async () => {
    for (const isSigned of [true, false]) {
      const other = newWallet().address;
      const both = { allowedRecipients: { entries: [payee, other] } };
      await policy.vote(owner, await policy.propose(both));
      await paid(payee);
      const shorter = { allowedRecipients: { entries: [other] } };
      if (isSigned) await policy.vote(owner, await policy.propose(shorter));
      else await policy.tighten(owner.ownerId, shorter);
      await policy.vote(owner, await policy.propose({ allowedRecipients: { entries: [] } }));
      await expect(pay(payee, USD)).rejects.toMatchObject(REQUIRED);
    }
  });
});

describe('the amount above which an owner approves', () => {
  const above = (usdMicros: bigint) => policy.change({ approveAbove: { usdMicros } });
  beforeEach(claim);

  it('is compared with all that goes to one recipient in 24 hours', async () => {
    const [one, other] = [newWallet().address, newWallet().address];
    await paid(one, 4n * USD);
    await above(10n * USD);
    const last = sending(one, 6n * USD);
    for (let n = 0; n < 2; n += 1) expect((await wallet.authorize(last)).reservedUsdMicros).toBe(6n * USD);
    await expect(pay(one, 1n)).rejects.toMatchObject({ ...REQUIRED, data: { reasons: ['above_amount'] } });
    expect((await pay(other, 10n * USD)).reservedUsdMicros).toBe(10n * USD);
    await settled(last, one);
    await policy.database.shiftClock('24 hours 5 minutes');
    expect((await pay(one, 10n * USD)).reservedUsdMicros).toBe(10n * USD);
  });

  it('repeats what was granted, although an approved payment came in between', async () => {
    const one = newWallet().address;
    await above(10n * USD);
    const small = sending(one, 6n * USD);
    await wallet.authorize(small);
    const large = sending(one, 11n * USD);
    await policy.vote(owner, await awaiting(large));
    await wallet.authorize(large);
    expect((await wallet.authorize(small)).reservedUsdMicros).toBe(6n * USD);
  });

  it('is compared with all trades of 24 hours', async () => {
    await above(2n * USD);
    const trade = () => swap.authorize(authorization(policy.agentId, swapIntent(own)).request);
    for (let n = 0; n < 2; n += 1) expect((await trade()).reservedUsdMicros).toBe(USD);
    await expect(trade()).rejects.toMatchObject(REQUIRED);
  });

  it('is compared with all buys in one market of 24 hours', async () => {
    await above(2n * USD);
    const buy = () => wallet.authorize(authorization(policy.agentId, escrowIntent(own)).request);
    for (let n = 0; n < 2; n += 1) expect((await buy()).reservedUsdMicros).toBe(USD);
    await expect(buy()).rejects.toMatchObject(REQUIRED);
  });
});
