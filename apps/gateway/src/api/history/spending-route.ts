import { historyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { z } from 'zod';
import { type ExactJson, isoTime, usdNumber } from '../../application/responses/exact-json.js';
import { defineRoute } from '../route.js';
import { queryTime } from '../schemas/fields.js';
import { count, time, usd } from '../schemas/units.js';
import { nullable } from './outcome.js';

const GROUPINGS = ['day', 'action', 'recipient', 'token'] as const;

const { SpendingGrouping } = historyV1;

const GROUPING_BY_NAME = {
  day: SpendingGrouping.SPENDING_GROUPING_UNSPECIFIED,
  action: SpendingGrouping.SPENDING_GROUPING_ACTION,
  recipient: SpendingGrouping.SPENDING_GROUPING_RECIPIENT,
  token: SpendingGrouping.SPENDING_GROUPING_TOKEN,
} as const;

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

const groupRecord = z
  .strictObject({
    key: nullable(z.string(), 'A day (UTC), action, address or symbol; null without a recipient.'),
    usd: usd('Known values.'),
    count: count('Records.'),
  })
  .meta({ id: 'SpendingGroup' });

export const spendingRoute = defineRoute(
  {
    id: 'getSpending',
    method: 'GET',
    path: '/wallets/me/spending',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Get spending in US dollars, grouped',
    notes:
      'Sums `valueUsd` of the confirmed transfers, trades, buys of contracts and liquidity added. Days come in order, ' +
      'other groups largest first: at most 100, and the rest as a last group `other`.',
    query: z.strictObject({
      from: queryTime('Created since; by default 30 days before `to`.'),
      to: queryTime('Created before; by default now. At most 366 days after `from`.'),
      by: z
        .enum(GROUPINGS, `must be one of ${GROUPINGS.join(', ')}`)
        .optional()
        .meta({ description: 'By default `day`.' }),
    }),
    response: z
      .strictObject({
        from: time(),
        to: time(),
        by: z.enum(GROUPINGS),
        totalUsd: usd(),
        unknownValueCount: count('Records that policy has not settled yet.'),
        groups: z.array(groupRecord),
      })
      .meta({ id: 'Spending' }),
    errors: [],
    example: {
      response: {
        from: '2026-10-22T00:00:00.000Z',
        to: '2026-11-21T00:00:00.000Z',
        by: 'action',
        totalUsd: 89.1,
        unknownValueCount: 0,
        groups: [
          { key: 'transfer', usd: 64.1, count: 1 },
          { key: 'trade', usd: 25, count: 2 },
        ],
      },
    },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { history }, clock }) => {
    const { by = 'day' } = query;
    const { fromMs, toMs } = findRange(query, clock.nowMs());
    const request = { agentId, fromMs: BigInt(fromMs), toMs: BigInt(toMs), by: GROUPING_BY_NAME[by] };
    const sums = await history.sumSpending(request);
    const groups = sums.groups.map((group) => showGroup(group, group.key || null));
    if (sums.other) groups.push(showGroup(sums.other, 'other'));
    return {
      data: {
        ...{ from: isoTime(request.fromMs), to: isoTime(request.toMs), by },
        totalUsd: usdNumber(sums.totalUsdMicros),
        unknownValueCount: Number(sums.unknownValueCount),
        groups,
      },
    };
  },
);

function showGroup({ usdMicros, count: records }: historyV1.SpendingGroup, key: string | null): ExactJson {
  return { key, usd: usdNumber(usdMicros), count: Number(records) };
}

/** Returns the time to sum. @throws AppError VALIDATION_ERROR */
function findRange(query: { readonly from?: string | undefined; readonly to?: string | undefined }, nowMs: number) {
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? Math.max(toMs - DEFAULT_DAYS * DAY_MS, 0) : Date.parse(query.from);
  if (fromMs >= toMs && query.to === undefined) throw AppError.field('from', 'must be in the past');
  if (fromMs >= toMs) throw AppError.field('to', 'must be later than from');
  if (toMs - fromMs > MAX_DAYS * DAY_MS) throw AppError.field('from', `must be at most ${MAX_DAYS} days before to`);
  return { fromMs, toMs };
}
