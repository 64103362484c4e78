import { z } from 'zod';
import { MAX_LAG_MS } from '../chain/bank.js';
import { FAULTS, type FaultPart, MALICIOUS_KINDS } from '../faults/fault-board.js';
import { BadRequest, type JsonRoute, readBy } from '../http/json-server.js';
import type { AdminContext } from './admin-context.js';

const MOST_DELAY_MS = 600_000;
const DELAY_MS = 1_000;
const LAG_MS = 5_000;

const FaultBody = z.strictObject({
  part: z.enum(Object.keys(FAULTS) as [FaultPart, ...FaultPart[]]),
  fault: z.string(),
  times: z.int().min(1).max(1_000_000).default(1),
  match: z
    .strictObject({
      method: z.string().optional(),
      path: z.string().optional(),
      address: z.string().optional(),
      ticker: z.string().optional(),
      kind: z.enum(MALICIOUS_KINDS).optional(),
    })
    .default({}),
  delayMs: z.int().min(0).max(MOST_DELAY_MS).optional(),
});

/** Arms, lists and disarms faults. */
export function faultRoutes({ faults, journal }: AdminContext): JsonRoute[] {
  return [
    { method: 'GET', path: '/faults', answer: () => ({ body: { faults: faults.list() } }) },
    {
      method: 'POST',
      path: '/faults',
      answer: async ({ body }) => {
        faults.arm(readOrder(body));
        await journal.synced();
        return { body: { faults: faults.list() } };
      },
    },
    {
      method: 'DELETE',
      path: '/faults',
      answer: async () => {
        faults.clear();
        await journal.synced();
        return { body: { faults: [] } };
      },
    },
  ];
}

function readOrder(body: unknown): Parameters<AdminContext['faults']['arm']>[0] {
  const { delayMs = undefined, ...order } = readBy(FaultBody, body);
  const known: readonly string[] = FAULTS[order.part];
  if (!known.includes(order.fault)) throw new BadRequest(`fault: ${order.part} knows ${known.join(', ')}`);
  if ((order.fault === 'maliciousTransaction') !== (order.match.kind !== undefined)) {
    throw new BadRequest(
      `match.kind: maliciousTransaction, and nothing else, needs one of ${MALICIOUS_KINDS.join(', ')}`,
    );
  }
  const isLag = order.fault === 'lagStatus' || order.fault === 'lagPortfolio';
  if (order.fault === 'lagStatus' && (delayMs ?? 0) > MAX_LAG_MS)
    throw new BadRequest(`delayMs: a node lags at most ${MAX_LAG_MS} ms`);
  return { ...order, delayMs: delayMs ?? (isLag ? LAG_MS : DELAY_MS) };
}
