import type { policyV1 } from '@agent-wallet/contracts';
import { TOKEN_SCOPES } from '@agent-wallet/kernel';
import { z } from 'zod';
import { HOUR_MS } from '../application/connect/session.js';
import { tokenResponse } from '../application/responses/token-response.js';
import { readTokenId } from './owners/owner-input.js';
import { defineRoute } from './route.js';
import { addressText, integerField, limitOrNullField, textField, uniqueList } from './schemas/fields.js';
import { SCOPED_TOKEN, scopedTokenRecord, tokenScope } from './schemas/scoped-token.js';

/** Scoped tokens: an agent gives a host, or another program, a part of what it may do. */

/** Lifetime of a token whose request names none. */
const DEFAULT_HOURS = 720;

const grantRequest = z
  .strictObject({
    name: textField(64, 'Name for people to read, e.g. of the host.'),
    scopes: uniqueList(tokenScope(), TOKEN_SCOPES.length).min(1, 'must have at least one scope').meta({
      uniqueItems: true,
      description:
        'What it may ask for. `predict`: prediction markets; `propose`: changes of the policy, for the owner.',
    }),
    recipients: uniqueList(addressText(), 100)
      .min(1, 'must have at least one address; null allows all')
      .nullable()
      .optional()
      .meta({ uniqueItems: true, description: 'Addresses that it may pay; null: all that the policy allows.' }),
    maxSingleInUsd: limitOrNullField('Of one operation; null: the policy’s limit alone.'),
    dailyLimitInUsd: limitOrNullField('In any 24 hours; null: the policy’s limit alone.'),
    totalLimitInUsd: limitOrNullField('As long as it lives; null: no such limit.'),
    expiresInHours: integerField(
      { min: 1, max: 8760, unit: 'Hours' },
      `Until it expires. When omitted ${DEFAULT_HOURS}; of a session, at most the policy’s \`sessionExpirationHours\`.`,
    ),
  })
  .meta({ id: 'TokenRequest' });

const openedToken = z
  .strictObject({
    token: scopedTokenRecord,
    sessionToken: z.string().meta({ description: 'The bearer token. It is shown once.' }),
  })
  .meta({ id: 'OpenedToken' });

const tokenList = z.strictObject({ tokens: z.array(scopedTokenRecord) }).meta({ id: 'TokenList' });

const endedToken = z.strictObject({ ended: z.literal(true) }).meta({ id: 'EndedToken' });

/** Returns what a request says of a token. */
export function readGrant(body: z.output<typeof grantRequest>, nowMs: number): policyV1.TokenGrant {
  return {
    name: body.name,
    scopes: body.scopes,
    recipients: body.recipients ? { addresses: body.recipients } : undefined,
    maxSingleUsdMicros: body.maxSingleInUsd ?? undefined,
    dailyUsdMicros: body.dailyLimitInUsd ?? undefined,
    totalUsdMicros: body.totalLimitInUsd ?? undefined,
    expiresAtMs: BigInt(nowMs + (body.expiresInHours ?? DEFAULT_HOURS) * HOUR_MS),
  };
}

const ofSession = { auth: 'bearer', scope: 'session', area: 'Authentication' } as const;

export const openTokenRoute = defineRoute(
  {
    ...ofSession,
    id: 'openToken',
    method: 'POST',
    path: '/wallets/me/tokens',
    summary: 'Open a scoped token',
    notes:
      'For a host or a program that should do only a part of what the agent may. It is never wider than the policy: both ' +
      'hold. At most 50 are live. Only the token of a login opens, lists and ends them. None lives longer than the policy’s ' +
      '`sessionExpirationHours`, nor outlives what the login’s mailed code proves: 90 days by default. The logout of that login ends it.',
    body: grantRequest,
    response: openedToken,
    errors: ['POLICY_VIOLATION'],
    example: {
      request: { name: 'Trading bot', scopes: ['read', 'trade'], maxSingleInUsd: 20, dailyLimitInUsd: 50 },
      response: {
        token: SCOPED_TOKEN,
        sessionToken: 'eyJhbGciOiJFUzI1NiIsImtpZCI6ImtleS0xIn0.eyJzdWIiOiIwMTkzIn0.c2ln',
      },
    },
  },
  async ({ input: { body }, caller }, { manageTokens, clock }) => {
    const isEndChosen = body.expiresInHours !== undefined;
    const { token, sessionToken } = await manageTokens.open(caller, readGrant(body, clock.nowMs()), { isEndChosen });
    return { message: 'Keep the token: it is not shown again.', data: { token: tokenResponse(token), sessionToken } };
  },
);

export const listTokensRoute = defineRoute(
  {
    ...ofSession,
    id: 'listTokens',
    method: 'GET',
    path: '/wallets/me/tokens',
    summary: 'List the live scoped tokens, the oldest first',
    response: tokenList,
    errors: [],
    example: { response: { tokens: [SCOPED_TOKEN] } },
  },
  async ({ caller }, { manageTokens }) => {
    const tokens = await manageTokens.list(caller.agentId);
    return { data: { tokens: tokens.map(tokenResponse) } };
  },
);

export const endTokenRoute = defineRoute(
  {
    ...ofSession,
    id: 'endToken',
    method: 'DELETE',
    path: '/wallets/me/tokens/{tokenId}',
    summary: 'End a scoped token',
    notes: 'It stops working at once, and its operations that wait for the owner end as `APPROVAL_REJECTED`.',
    params: z.strictObject({ tokenId: z.string() }),
    response: endedToken,
    errors: ['NOT_FOUND'],
    example: { response: { ended: true } },
  },
  async ({ input: { params }, caller }, { manageTokens }) => {
    await manageTokens.end({ agentId: caller.agentId, tokenId: readTokenId(params) });
    return { message: 'The token has ended.', data: { ended: true } };
  },
);

export const TOKEN_ROUTES = [openTokenRoute, listTokensRoute, endTokenRoute];
