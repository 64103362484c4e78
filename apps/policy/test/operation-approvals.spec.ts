import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { TOKEN_PROGRAM } from '@agent-wallet/solana';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { challengeOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import {
  authorization,
  newWallet,
  OWNER_ORIGIN,
  type OwnersClient,
  type PolicyClient,
  swapIntent,
  transferIntent,
} from './service.js';

const USD = 1_000_000n;
const OTHER_MINT = newWallet().address;
const State = policyV1.ApprovalState;
const { NEW_RECIPIENTS_APPROVE, NEW_RECIPIENTS_DENY } = policyV1.NewRecipients;
const REQUIRED = { code: 'APPROVAL_REQUIRED' };
const OTHER_MESSAGE = { code: 'PERMIT_CONFLICT', data: { reason: 'other_message' } };
const VOID = { code: 'APPROVAL_REJECTED', data: { reason: 'void' } };

let policy: OwnersUnderTest;
let wallet: PolicyClient;
let swap: PolicyClient;
/** Asks about approvals as the wallet service. */
let walletOfOwners: OwnersClient;
let owner: TestOwner;
let own: string;

beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  [wallet, swap] = await Promise.all([policy.service.as('wallet'), policy.service.as('swap')]);
  walletOfOwners = await policy.service.ownersAs('wallet');
  policy.service.world.mints.set(OTHER_MINT, { program: TOKEN_PROGRAM, decimals: 6 });
  policy.service.world.prices.set(OTHER_MINT, { usd: '1000', decimals: 6 });
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
  own = newWallet().address;
});
afterEach(() => policy.database.shiftClock('0'));

/** A new operation of the agent that sends so many base units of USDC. */
const sending = (amount: bigint, change: Partial<intentV1.Transfer> = {}) =>
  authorization(policy.agentId, transferIntent(own, { amount, ...change })).request;

const approveAbove = (usdMicros: bigint) => policy.change({ approveAbove: { usdMicros } });

/** Asks for a permit, which needs an approval. */
const awaiting = (request: policyV1.AuthorizeRequest, caller = wallet) => policy.awaiting(caller, request, owner);

/** A transfer of 11 dollars, of which 10 need no approval, and its approval. */
async function approved() {
  await approveAbove(10n * USD);
  const request = sending(11n * USD);
  const approval = await awaiting(request);
  expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_APPROVED);
  return { request, approval };
}

const usage = () => policy.gateway.getUsage({ agentId: policy.agentId });
const stateOf = async ({ approvalId }: policyV1.Approval) =>
  (await walletOfOwners.getApprovalStates({ approvalIds: [approvalId] })).approvals[0]?.state;

describe('a payment above the amount', () => {
  it('waits for an owner, whose document names every term, and holds nothing', async () => {
    await approveAbove(10n * USD);
    expect((await wallet.authorize(sending(10n * USD))).reservedUsdMicros).toBe(10n * USD);
    const request = sending(10n * USD + 1n, { memo: 'rent', createsRecipientAccount: false });
    const { recipient } = (request.intent!.action as { value: intentV1.Transfer }).value;
    let approval!: policyV1.Approval;
    const facts = await policy.factsDuring(policy.agentId, async () => {
      approval = await awaiting(request);
      expect((await awaiting(request)).approvalId).toBe(approval.approvalId);
    });
    const document = JSON.parse(approval.document.toString()) as Record<string, unknown>;
    expect(document).toEqual({
      ...{ type: 'agent-wallet.approval.v1', id: approval.approvalId, kind: 'operation', origin: OWNER_ORIGIN },
      ...{ agent: policy.agentId, owner: owner.ownerId, wallet: own, operation: request.operationId },
      ...{ action: 'transfer', valueUsd: '10.000001', reasons: ['above_amount'], policyVersion: '2', threshold: '1' },
      terms: {
        ...{ recipient, mint: expect.any(String), amount: '10000001', decimals: '6', maxFee: '0' },
        ...{ createsAccount: 'false', memo: 'rent', trust: 'once' },
      },
      ...{ askedAt: expect.any(String), expiresAt: expect.any(String), nonce: expect.any(String) },
    });
    const { approvalId } = approval;
    const value = { approvalId, kind: 'operation', document: approval.document };
    expect(facts).toEqual([{ $case: 'approvalRequested', value }]);
    expect((await usage()).reservedUsdMicros).toBe(10n * USD);
  });

  it('is reserved once it is approved, and again the same for a repeat', async () => {
    const { request, approval } = await approved();
    const { approvalId } = approval;
    const facts = await policy.factsDuring(policy.agentId, async () => {
      for (let n = 0; n < 2; n += 1) {
        expect((await wallet.authorize(request)).reservedUsdMicros).toBe(11n * USD);
      }
    });
    const { operationId } = request;
    expect(facts).toMatchObject([{ $case: 'reservationCreated', value: { operationId, approvalId } }]);
    expect((await usage()).reservedUsdMicros).toBe(11n * USD);
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_USED);
  });

  it('is approved by a signature that enters the log', async () => {
    await approveAbove(10n * USD);
    const approval = await awaiting(sending(11n * USD));
    const facts = await policy.factsDuring(policy.agentId, () => policy.vote(owner, approval));
    const documentHash = challengeOf(approval.document);
    const value = { approvalId: approval.approvalId, outcome: 'approved', documentHash, ownerId: owner.ownerId };
    expect(facts).toMatchObject([{ $case: 'approvalDecided', value }]);
  });

  it.each<[string, Partial<intentV1.Transfer>]>([
    ['amount', { amount: 12n * USD }],
    ['smaller amount', { amount: 10n * USD + 1n }],
    ['recipient', { recipient: newWallet().address }],
    ['memo', { memo: 'other' }],
    ['account to make', { createsRecipientAccount: true }],
  ])('is not permitted with another %s', async (_, change) => {
    const { request, approval } = await approved();
    const { value } = request.intent!.action as { value: intentV1.Transfer };
    const intent = transferIntent(own, { ...value, ...change });
    const altered = wallet.authorize({ ...request, intent });
    await expect(altered).rejects.toMatchObject({ code: 'PERMIT_CONFLICT', data: { reason: 'other_terms' } });
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_APPROVED);
    expect((await wallet.authorize(request)).reservedUsdMicros).toBe(11n * USD);
  });

  it('is not permitted from another wallet, or for another operation or agent', async () => {
    const { request } = await approved();
    const { value } = request.intent!.action as { value: intentV1.Transfer };
    const elsewhere = { ...request, intent: transferIntent(newWallet().address, value) };
    await expect(wallet.authorize(elsewhere)).rejects.toMatchObject({ data: { reason: 'other_terms' } });
    await expect(wallet.authorize({ ...request, operationId: newId() })).rejects.toMatchObject(REQUIRED);
    await policy.newAgent();
    await policy.newClaim();
    await approveAbove(10n * USD);
    const stolen = wallet.authorize({ ...request, agentId: policy.agentId });
    await expect(stolen).rejects.toMatchObject({ code: 'PERMIT_CONFLICT', data: { reason: 'other_agent' } });
  });

  it('has a next attempt without an earlier one, if nothing was permitted, and none after it', async () => {
    const { request } = await approved();
    const unasked = { ...sending(USD), attempt: 2 };
    const mayLand = { code: 'PERMIT_CONFLICT', data: { reason: 'prior_attempt_may_land' } };
    await expect(wallet.authorize(unasked)).rejects.toMatchObject(mayLand);
    const { messageHash } = sending(11n * USD);
    expect((await wallet.authorize({ ...request, attempt: 2, messageHash })).reservedUsdMicros).toBe(11n * USD);
    await expect(wallet.authorize(request)).rejects.toMatchObject(OTHER_MESSAGE);
    await expect(wallet.authorize({ ...request, attempt: 3 })).rejects.toMatchObject(mayLand);
    expect((await usage()).reservedUsdMicros).toBe(11n * USD);
  });

  it('has no first attempt beside a later one, also once the policy needs no approval', async () => {
    const { request } = await approved();
    const { messageHash } = sending(11n * USD);
    await wallet.authorize({ ...request, attempt: 2, messageHash });
    // As a signature of the owner does.
    await policy.database.rows(
      'update policies set approve_above_usd_micros = null, version = version + 1 where agent_id = $1',
      policy.agentId,
    );
    await expect(wallet.authorize(request)).rejects.toMatchObject(OTHER_MESSAGE);
    const { value } = request.intent!.action as { value: intentV1.Transfer };
    const intent = transferIntent(own, { ...value, amount: 9n * USD });
    await expect(wallet.authorize({ ...request, intent })).rejects.toMatchObject(OTHER_MESSAGE);
    expect((await usage()).reservedUsdMicros).toBe(11n * USD);
  });
});

describe('an approved payment that is refused when it is carried out', () => {
  it('is void after the policy was tightened', async () => {
    const { request, approval } = await approved();
    await policy.change({ maxSingleTransactionUsdMicros: 10n * USD });
    const facts = await policy.factsDuring(policy.agentId, async () => {
      const refused = { code: 'POLICY_VIOLATION', data: { rule: 'single_transaction_limit' } };
      await expect(wallet.authorize(request)).rejects.toMatchObject(refused);
    });
    const { approvalId } = approval;
    expect(facts).toEqual([
      { $case: 'approvalClosed', value: { approvalId, kind: 'operation', state: 'void', ownerId: owner.ownerId } },
    ]);
    await policy.vote(owner, await policy.propose({ maxSingleTransactionUsdMicros: 100n * USD }));
    await expect(wallet.authorize(request)).rejects.toMatchObject(VOID);
    expect((await usage()).reservedUsdMicros).toBe(0n);
  });

  it('is void after a freeze', async () => {
    const { request, approval } = await approved();
    const ops = await policy.service.as('ops');
    const freeze = { agentId: policy.agentId, operator: 'me', reason: 'a test' };
    await ops.setFreeze({ ...freeze, frozen: true });
    await expect(wallet.authorize(request)).rejects.toMatchObject({ data: { rule: 'frozen' } });
    await ops.setFreeze({ ...freeze, frozen: false });
    await expect(wallet.authorize(request)).rejects.toMatchObject(VOID);
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_VOID);
  });

  it('is void after its signer was removed', async () => {
    const { request } = await approved();
    await policy.database.rows(
      'update agent_owners set removed_at = policy.now() where agent_id = $1 and owner_id = $2',
      policy.agentId,
      owner.ownerId,
    );
    for (let n = 0; n < 2; n += 1) await expect(wallet.authorize(request)).rejects.toMatchObject(VOID);
  });
});

describe('an approval that is not given', () => {
  const closing = {
    rejected: () => ({ $case: 'ownerId', value: owner.ownerId }) as const,
    withdrawn: () => ({ $case: 'agentId', value: policy.agentId }) as const,
  };
  it.each(['rejected', 'withdrawn'] as const)('ends its operation as %s', async (reason) => {
    await approveAbove(10n * USD);
    const request = sending(11n * USD);
    const { approvalId } = await awaiting(request);
    await policy.owners.closeApproval({ approvalId, by: closing[reason]() });
    await expect(wallet.authorize(request)).rejects.toMatchObject({ code: 'APPROVAL_REJECTED', data: { reason } });
  });

  it('expires on time for the vote, and for the use', async () => {
    await approveAbove(10n * USD);
    const request = sending(11n * USD);
    const approval = await awaiting(request);
    await policy.database.stopClock(new Date(Number(approval.expiresAtMs)).toISOString());
    await expect(policy.vote(owner, approval)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    await expect(wallet.authorize(request)).rejects.toMatchObject({ code: 'APPROVAL_EXPIRED' });
  });

  it('expires although it is approved, and the log gets its end', async () => {
    const [late, inTime] = [await approved(), await approved()];
    const deadline = Number(late.approval.expiresAtMs);
    await policy.database.stopClock(new Date(deadline - 1).toISOString());
    expect((await wallet.authorize(inTime.request)).reservedUsdMicros).toBe(11n * USD);
    const facts = await policy.factsDuring(policy.agentId, async () => {
      await policy.database.stopClock(new Date(deadline).toISOString());
      await expect(wallet.authorize(late.request)).rejects.toMatchObject({ code: 'APPROVAL_EXPIRED' });
      await eventually(async () => {
        const [row] = await policy.database.rows<{ state: string }>(
          'select state from approvals where id = $1',
          late.approval.approvalId,
        );
        return row!.state === 'expired';
      });
    });
    const { approvalId } = late.approval;
    const value = { approvalId, kind: 'operation', state: 'expired', ownerId: owner.ownerId };
    expect(facts).toEqual([{ $case: 'approvalClosed', value }]);
    expect(await stateOf(inTime.approval)).toBe(State.APPROVAL_STATE_USED);
  });

  it('is one of at most twenty that are pending', async () => {
    await approveAbove(10n * USD);
    const all = Array.from({ length: 21 }, () => sending(11n * USD));
    for (const request of all.slice(0, 20)) await awaiting(request);
    const rule = { code: 'POLICY_VIOLATION', data: { rule: 'too_many_approvals' } };
    await expect(wallet.authorize(all[20]!)).rejects.toMatchObject(rule);
    await awaiting(all[0]!);
  });
});

describe('a recipient', () => {
  const toStranger = (address: string) => wallet.authorize(sending(USD, { recipient: address }));

  it('that is new needs an approval, or is denied', async () => {
    const stranger = newWallet().address;
    await policy.change({ newRecipients: NEW_RECIPIENTS_APPROVE });
    await expect(toStranger(stranger)).rejects.toMatchObject({ ...REQUIRED, data: { reasons: ['new_recipient'] } });
    await approveAbove(USD - 1n);
    await expect(toStranger(stranger)).rejects.toMatchObject({ data: { reasons: ['above_amount', 'new_recipient'] } });
    await policy.change({ newRecipients: NEW_RECIPIENTS_DENY });
    const denied = { code: 'POLICY_VIOLATION', data: { rule: 'new_recipient' } };
    await expect(toStranger(stranger)).rejects.toMatchObject(denied);
  });

  it('that the agent lists stays new; one that the owner lists by a signature is known', async () => {
    const [byAgent, byOwner] = [newWallet().address, newWallet().address];
    await policy.change({ newRecipients: NEW_RECIPIENTS_APPROVE, allowedRecipients: { entries: [byAgent] } });
    await expect(toStranger(byAgent)).rejects.toMatchObject(REQUIRED);
    const listed = { allowedRecipients: { entries: [byAgent, byOwner] } };
    const proposal = await policy.propose(listed);
    await expect(toStranger(byOwner)).rejects.toMatchObject({ data: { rule: 'recipient_not_allowed' } });
    await policy.vote(owner, proposal);
    expect((await toStranger(byOwner)).reservedUsdMicros).toBe(USD);
    await expect(toStranger(byAgent)).rejects.toMatchObject(REQUIRED);
  });
});

describe('a trade above the amount', () => {
  const asked = () => authorization(policy.agentId, swapIntent(own)).request;
  const changed = (request: policyV1.AuthorizeRequest, change: Partial<intentV1.Swap>): policyV1.AuthorizeRequest => {
    const intent = swapIntent(own, { ...(request.intent!.action as { value: intentV1.Swap }).value, ...change });
    const { operationId } = request;
    return { ...authorization(policy.agentId, intent).request, operationId };
  };

  async function approvedTrade() {
    await approveAbove(USD - 1n);
    const request = asked();
    const approval = await awaiting(request, swap);
    expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_APPROVED);
    return { request, approval };
  }

  it('waits for an owner, whose document names its terms, and is reserved once it is approved', async () => {
    const { request, approval } = await approvedTrade();
    const { inputMint, outputMint } = (request.intent!.action as { value: intentV1.Swap }).value;
    expect(JSON.parse(approval.document.toString())).toMatchObject({
      ...{
        kind: 'operation',
        operation: request.operationId,
        action: 'trade',
        valueUsd: '1',
        reasons: ['above_amount'],
      },
      terms: {
        ...{ inputMint, inputAmount: '1000000', outputMint, minOutputAmount: '6633333', slippageBps: '50' },
        maxNetworkLamports: '5000000',
      },
    });
    expect((await usage()).reservedUsdMicros).toBe(0n);
    const rebuilt = changed(request, { quotedOutputAmount: 6_700_000n, minOutputAmount: 6_633_334n });
    for (let n = 0; n < 2; n += 1)
      expect((await swap.authorize({ ...rebuilt, attempt: 2 })).reservedUsdMicros).toBe(USD);
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_USED);
    await expect(swap.authorize(request)).rejects.toMatchObject(OTHER_MESSAGE);
  });

  it.each<[string, Partial<intentV1.Swap>]>([
    ['amount', { inputAmount: 1_000_001n }],
    ['smaller output', { minOutputAmount: 6_633_332n }],
    ['higher slippage', { slippageBps: 51, minOutputAmount: 6_630_000n }],
    ['output', { outputMint: OTHER_MINT }],
  ])('is not permitted with another %s', async (_, change) => {
    const { request, approval } = await approvedTrade();
    const other = swap.authorize(changed(request, change));
    await expect(other).rejects.toMatchObject({ code: 'PERMIT_CONFLICT', data: { reason: 'other_terms' } });
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_APPROVED);
  });

  it('is void once the list of tokens lacks what it brings', async () => {
    const { request, approval } = await approvedTrade();
    await policy.change({ allowedTokens: { list: { entries: [] } } });
    await expect(swap.authorize(request)).rejects.toMatchObject({ data: { rule: 'token_not_allowed' } });
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_VOID);
    await policy.vote(owner, await policy.propose({ allowedTokens: {} }));
    await expect(swap.authorize(request)).rejects.toMatchObject(VOID);
  });

  it('is asked for as a dry run says', async () => {
    await approveAbove(USD - 1n);
    const { agentId } = policy;
    expect(await swap.dryRunAuthorize({ agentId, intent: swapIntent(own) })).toMatchObject({
      ...{ allowed: true, approval: { reasons: ['above_amount'] } },
    });
  });
});

describe('a dry run', () => {
  it('says that an approval is needed and why, and requests none', async () => {
    await policy.change({ newRecipients: NEW_RECIPIENTS_APPROVE, approveAbove: { usdMicros: 10n * USD } });
    const intent = transferIntent(own, { amount: 11n * USD });
    expect(await wallet.dryRunAuthorize({ agentId: policy.agentId, intent })).toMatchObject({
      ...{ allowed: true, rule: '', approval: { reasons: ['above_amount', 'new_recipient'] } },
    });
    const left = await policy.database.rows(
      "select from approvals where agent_id = $1 and kind = 'operation'",
      policy.agentId,
    );
    expect(left).toEqual([]);
    const plain = await policy.newAgent();
    expect((await wallet.dryRunAuthorize({ agentId: plain, intent })).approval).toBeUndefined();
  });
});
