import { type RunningTelemetry, startTelemetry } from '@agent-wallet/telemetry';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OwnersUnderTest } from './owners-under-test.js';

let telemetry: RunningTelemetry;
let policy: OwnersUnderTest;

beforeAll(async () => {
  telemetry = await startTelemetry({
    service: 'policy',
    settings: {
      ...{ sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 },
      metricsAddress: '127.0.0.1:0',
    },
  });
  policy = await OwnersUnderTest.start();
});
afterAll(async () => {
  await policy.stop();
  await telemetry.stop();
});

/** Metrics of approvals and assertions, by their names and the values of their own labels. */
async function metrics(): Promise<Record<string, number>> {
  const text = await (await fetch(`http://${telemetry.metricsAddress}/metrics`)).text();
  const read = [...text.matchAll(/^agentwallet_((?:approvals|assertions)_\w+)\{(.*)\} (\S+)$/gm)].map(
    ([, name, labels, value]) => {
      const own = [...labels!.matchAll(/agentwallet_(?:approval_kind|outcome|rejection)="(\w+)"/g)];
      return [[name, ...own.map(([, label]) => label)].join(' '), Number(value)] as const;
    },
  );
  return Object.fromEntries(read);
}

it('counts what is asked of owners and what becomes of it, the rejected signatures, and what is pending', async () => {
  await policy.newAgent();
  const owner = await policy.newOwner();
  const claim = await policy.requestClaim(owner.ownerId);
  await policy.vote(owner, claim, { challenge: 'AAAA' }).catch(() => undefined);
  await policy.vote({ ...owner, authenticator: (await policy.newOwner()).authenticator }, claim).catch(() => undefined);
  await policy.vote(owner, claim);
  await policy.propose({ dailyLimitUsdMicros: 950_000_000n });
  // An equal proposal is the same approval.
  await policy.propose({ dailyLimitUsdMicros: 950_000_000n });
  const withdrawn = await policy.propose({ dailyLimitUsdMicros: 990_000_000n });
  const by = { $case: 'agentId', value: policy.agentId } as const;
  await policy.owners.closeApproval({ approvalId: withdrawn.approvalId, by });
  expect(await metrics()).toEqual({
    'approvals_requested_total policy': 2,
    'approvals_requested_total claim': 1,
    'approvals_decided_total claim applied': 1,
    'approvals_decided_total policy withdrawn': 1,
    'assertions_rejected_total message': 1,
    'assertions_rejected_total passkey': 1,
    'approvals_pending claim': 0,
    'approvals_pending policy': 1,
    'approvals_pending passkey': 0,
    'approvals_pending unfreeze': 0,
    'approvals_pending operation': 0,
    'approvals_pending objection': 0,
    'approvals_pending recovery': 0,
    'approvals_pending token': 0,
    'approvals_pending member': 0,
  });
});
