import { policyInForce, usageResponse } from '../application/responses/policy-response.js';
import { ownedAgentResponse } from '../application/responses/owned-agent-response.js';
import { isoTime, usdNumber } from '../application/responses/exact-json.js';
import type { policyV1 } from '@agent-wallet/contracts';
import { z } from 'zod';
import { required } from '../ports/services.js';
import { historyRoute, transactionRoute } from './history/history-routes.js';
import { proofRoute } from './history/proof-route.js';
import { LIQUIDITY_ROUTES } from './liquidity-routes.js';
import { readAgentId } from './owners/owner-input.js';
import { getPolicyRoute, usageRoute } from './policy-routes.js';
import { predictionBalanceRoute } from './predictions/balance-route.js';
import { ordersRoute } from './predictions/orders-route.js';
import { positionsRoute } from './predictions/positions-route.js';
import { defineRoute, type OwnerCaller, type Route, partOf, type RouteCall, type RouteContract } from './route.js';
import type { ApiServices } from './services.js';
import { listSessionsRoute } from './session-routes.js';
import { ADDRESS, RECIPIENT } from './schemas/examples.js';
import { ownedAgentRecord } from './schemas/owner-records.js';
import { policyResult, usageRecord } from './schemas/policy-records.js';
import { address, baseUnits, time, usd } from './schemas/units.js';
import { listTokensRoute } from './token-routes.js';
import { balancesRoute } from './wallet-routes.js';

/** An agent as its owner sees it: what agents read of themselves, in the same shapes, below `/owner/agents/{agentId}`. */

const HOUR_MS = 3_600_000n;
const BASE = '/owner/agents/{agentId}';
const AGENT_ID = '01938f6e-0000-7cc3-98c4-dc0c0c07398f';

/** The path of a route below an agent of an owner. */
export const ownedAgentParams = z.strictObject({ agentId: z.string().meta({ description: 'The agent.' }) });

const ofOwner = { method: 'GET', auth: 'owner_by_mail', area: 'Owners' } as const;

/** Returns an agent's read as its owner's, of the same shape. */
function forOwner(read: Route, id: string, path: string, summary = read.summary): Route {
  const { params, needsOwners: _, ...contract } = read;
  const part = partOf(read);
  return {
    ...contract,
    ...{
      ...ofOwner,
      id,
      summary,
      path: `${BASE}${path}`,
      ...(part ? { part } : {}),
      errors: [...new Set([...read.errors, 'NOT_FOUND' as const])],
    },
    params: params ? (params as typeof ownedAgentParams).extend(ownedAgentParams.shape) : ownedAgentParams,
    async handle(call: RouteCall<RouteContract>, services: ApiServices) {
      const { agentId: named, ...rest } = call.input.params as { readonly agentId: string };
      const agentId = readAgentId({ agentId: named });
      await services.manageOwnedAgent.assertOwned((call.caller as unknown as OwnerCaller).owner.id, agentId);
      const input = { ...call.input, params: params ? rest : undefined };
      return read.handle(asAgent({ ...call, input }, agentId), services);
    },
  };
}

/** Returns a call in the name of an agent. No session of it is the current one. */
function asAgent(call: RouteCall<RouteContract>, agentId: string): RouteCall<RouteContract> {
  const caller = { agentId, sessionId: '', expiresAtMs: 0, isLive: true };
  return { ...call, caller } as unknown as RouteCall<RouteContract>;
}

const freezeRecord = z
  .strictObject({
    source: z.enum(['owner', 'operator']).meta({ description: 'Whose freeze it is. Lifting one leaves the other.' }),
    everyAgent: z.boolean().meta({ description: 'Whether the operator has frozen all agents.' }),
    reason: z.string(),
    since: time(),
  })
  .meta({ id: 'Freeze' });

const recipientRecord = z
  .strictObject({
    address: address(),
    firstPaidAt: time()
      .nullable()
      .meta({ description: 'When the first payment that counts was settled; null before.' }),
    listedAt: time().nullable().meta({ description: 'When your signature listed it; null without one.' }),
    trust: z
      .enum(['daily_amount', 'always'])
      .nullable()
      .meta({ description: 'What you have signed of later payments with an approval; null without one.' }),
    signedAt: time().nullable().meta({ description: 'When that approval was used.' }),
    dailyAmount: z
      .strictObject({ mint: z.string().meta({ description: 'The token, `native` for SOL.' }), amount: baseUnits() })
      .meta({ id: 'DailyAmount' })
      .nullable()
      .meta({ description: 'What may go to it in any 24 hours; null without such a limit.' }),
    knownAt: time()
      .nullable()
      .meta({ description: 'From when on it is known, by the policy in force; null for never.' }),
  })
  .meta({ id: 'KnownRecipient' });

const countedRecord = z
  .strictObject({
    since: time('Since when it counts.'),
    leavesAt: time('When all of it has left the rolling day.'),
    usd: usd(),
  })
  .meta({ id: 'CountedValue', description: 'What was settled within five minutes, and still counts.' });

const agentDetails = z
  .strictObject({ agent: ownedAgentRecord, freezes: z.array(freezeRecord), policy: policyResult })
  .meta({ id: 'OwnedAgentDetails' });

const POLICY_EXAMPLE = getPolicyRoute.example.response;

const getOwnedAgentRoute = defineRoute(
  {
    ...ofOwner,
    id: 'getOwnedAgent',
    path: BASE,
    summary: 'Get an agent with its policy and its freezes',
    params: ownedAgentParams,
    response: agentDetails,
    errors: ['NOT_FOUND'],
    example: {
      response: {
        agent: {
          id: AGENT_ID,
          email: 'agent@example.com',
          chainAddress: ADDRESS,
          role: 'owner',
          since: '2026-11-21T10:00:00.000Z',
        },
        freezes: [],
        policy: POLICY_EXAMPLE,
      },
    },
  },
  async ({ input: { params }, caller: { owner } }, { manageOwnedAgent, services: { policy: policies } }) => {
    const agentId = readAgentId(params);
    const { agent, overview } = await manageOwnedAgent.get(owner.id, agentId);
    const data = {
      agent: ownedAgentResponse(agent),
      freezes: overview.freezes.map(freezeResponse),
      policy: policyInForce(await policies.policy(agentId)),
    };
    return { data };
  },
);

const { grant: _, ...OWNED_USAGE } = usageRoute.example.response;

const ownedUsageRoute = defineRoute(
  {
    ...ofOwner,
    id: 'getOwnedUsage',
    path: `${BASE}/usage`,
    summary: 'Get usage of the daily limit, and when it leaves the rolling day',
    params: ownedAgentParams,
    response: usageRecord
      .extend({ window: z.array(countedRecord).meta({ description: 'Settled value, the oldest first.' }) })
      .meta({ id: 'OwnedUsage' }),
    errors: ['NOT_FOUND'],
    example: {
      response: {
        ...OWNED_USAGE,
        window: [{ since: '2026-11-21T09:00:00.000Z', leavesAt: '2026-11-22T09:04:10.000Z', usd: 64.1 }],
      },
    },
  },
  async ({ input: { params }, caller: { owner } }, { services: { owners, policy } }) => {
    const agentId = readAgentId(params);
    const { counted } = await owners.agent(owner.id, agentId);
    const window = counted.map(({ countedSinceMs, leavesAtMs, usdMicros }) => ({
      since: isoTime(countedSinceMs),
      leavesAt: isoTime(leavesAtMs),
      usd: usdNumber(usdMicros),
    }));
    return { data: { ...usageResponse(await policy.usage(agentId)), window } };
  },
);

const ownedRecipientsRoute = defineRoute(
  {
    ...ofOwner,
    id: 'listOwnedRecipients',
    path: `${BASE}/recipients`,
    summary: 'List the recipients that are known, or will be after the cool-down, and why',
    notes: 'At most 500, the latest first.',
    params: ownedAgentParams,
    response: z.strictObject({ recipients: z.array(recipientRecord) }).meta({ id: 'KnownRecipients' }),
    errors: ['NOT_FOUND'],
    example: {
      response: {
        recipients: [
          {
            address: RECIPIENT,
            firstPaidAt: '2026-11-21T10:02:01.000Z',
            listedAt: null,
            trust: null,
            signedAt: null,
            dailyAmount: null,
            knownAt: '2026-11-21T10:02:01.000Z',
          },
        ],
      },
    },
  },
  async ({ input: { params }, caller: { owner } }, { services: { owners, policy } }) => {
    const agentId = readAgentId(params);
    const { recipients } = await owners.agent(owner.id, agentId);
    const { newRecipientCoolDownHours: hours } = await policy.policy(agentId);
    return { data: { recipients: recipients.map((each) => recipientResponse(each, hours)) } };
  },
);

function freezeResponse({ source, agentId, reason, sinceMs }: policyV1.Freeze) {
  return { source, everyAgent: agentId === '', reason, since: isoTime(sinceMs) };
}

function recipientResponse(
  { address, firstSettledAtMs: paidMs, trustedAtMs: listedMs, trust, signedAtMs, ...daily }: policyV1.Recipient,
  hours: number,
) {
  const timeOf = (ms: bigint) => (ms === 0n ? null : isoTime(ms));
  const cooled = (ms: bigint) => (ms === 0n ? 0n : ms + BigInt(hours) * HOUR_MS);
  const knownMs =
    [listedMs, cooled(paidMs), cooled(signedAtMs)].filter((ms) => ms > 0n).sort((a, b) => Number(a - b))[0] ?? 0n;
  return {
    address,
    firstPaidAt: timeOf(paidMs),
    listedAt: timeOf(listedMs),
    trust: trust === 'daily_amount' || trust === 'always' ? trust : null,
    signedAt: timeOf(signedAtMs),
    dailyAmount: daily.dailyMint === '' ? null : { mint: daily.dailyMint, amount: daily.dailyAmount },
    knownAt: timeOf(knownMs),
  };
}

const liquidityPositionsRoute = required(
  LIQUIDITY_ROUTES.find(({ path }) => path === '/liquidity/positions'),
  'the positions',
);

/** An owner's own chain, which has the keys that verify the signatures in the agents' chains. */
const ownerProofRoute: Route = {
  ...(proofRoute as Route),
  ...ofOwner,
  id: 'getOwnerHistoryProof',
  path: '/owner/history/proof',
  summary: 'Get the events of your passkeys as a hash chain with a signed checkpoint',
  notes: 'In the shape of an agent’s proof: `agentId` is your own id. Its keys verify your signatures in other chains.',
  async handle(call: RouteCall<RouteContract>, services: ApiServices) {
    const { owner } = call.caller as unknown as OwnerCaller;
    return (proofRoute as Route).handle(asAgent(call, owner.id), services);
  },
};

/** In the order of the documents. */
export const OWNED_AGENT_READS: readonly Route[] = [
  getOwnedAgentRoute,
  forOwner(balancesRoute, 'getOwnedBalances', '/balances'),
  forOwner(getPolicyRoute, 'getOwnedPolicy', '/policy'),
  ownedUsageRoute,
  forOwner(historyRoute, 'listOwnedTransactions', '/history'),
  forOwner(transactionRoute, 'getOwnedTransaction', '/history/{transactionId}'),
  forOwner(proofRoute, 'getOwnedHistoryProof', '/history/proof'),
  forOwner(listSessionsRoute, 'listOwnedSessions', '/sessions', 'List the sessions of an agent'),
  forOwner(listTokensRoute, 'listOwnedTokens', '/tokens', 'List the live scoped tokens of an agent, the oldest first'),
  ownedRecipientsRoute,
  forOwner(liquidityPositionsRoute, 'listOwnedLiquidityPositions', '/liquidity/positions'),
  forOwner(positionsRoute, 'listOwnedPositions', '/predictions/positions'),
  forOwner(ordersRoute, 'listOwnedOrders', '/predictions/orders'),
  forOwner(predictionBalanceRoute, 'getOwnedPredictionBalance', '/predictions/balance'),
  ownerProofRoute,
];
