import { z } from 'zod';
import { keyText, parseKey } from '../encoding/keys.js';
import { BadRequest, type JsonRoute, readBy } from '../http/json-server.js';
import { MINT_EXTENSIONS } from '../tokens/mint-maker.js';
import type { AdminContext } from './admin-context.js';
import { readPrice } from './read-parameters.js';

const MintBody = z.strictObject({
  symbol: z.string().regex(/^[A-Za-z0-9._-]{1,20}$/, 'must be 1 to 20 letters, digits, dots or dashes'),
  decimals: z.int().min(0).max(18),
  program: z.enum(['token', 'token-2022']).default('token'),
  transferFeeBps: z.int().min(0).max(10_000).optional(),
  uiMultiplier: z.number().positive().max(1e9).optional(),
  interestRateBps: z.int().min(-32_768).max(32_767).optional(),
  extensions: z.array(z.enum(MINT_EXTENSIONS)).default([]),
  freezeAuthority: z.union([z.boolean(), z.string()]).optional(),
  usd: z.union([z.number(), z.string()]).optional(),
});

/** Makes tokens. */
export function mintRoutes(context: AdminContext): JsonRoute[] {
  return [
    {
      method: 'POST',
      path: '/mints',
      answer: async ({ body }) => ({ body: { mint: await make(context, readBy(MintBody, body)) } }),
    },
  ];
}

async function make(
  { tokens, prices, mintMaker, journal }: AdminContext,
  order: z.infer<typeof MintBody>,
): Promise<string> {
  if (tokens.find(order.symbol)) throw new BadRequest(`there is a token ${order.symbol} already`, 409);
  const { transferFeeBps, uiMultiplier, interestRateBps, extensions } = order;
  const extras = [transferFeeBps, uiMultiplier, interestRateBps, extensions[0]];
  if (order.program === 'token' && extras.some((each) => each !== undefined)) {
    throw new BadRequest('transferFeeBps, uiMultiplier, interestRateBps and extensions need program token-2022');
  }
  if (uiMultiplier !== undefined && interestRateBps !== undefined)
    throw new BadRequest('a mint has uiMultiplier or interestRateBps, not both');
  const { freezeAuthority } = order;
  if (typeof freezeAuthority === 'string' && parseKey(freezeAuthority) === undefined) {
    throw new BadRequest('freezeAuthority must be true, false or an address');
  }
  const usdText = order.usd === undefined ? undefined : readPrice(order.usd);
  const token = await mintMaker.make({
    ...order,
    freezeAuthority: typeof freezeAuthority === 'string' ? parseKey(freezeAuthority)! : (freezeAuthority ?? false),
  });
  tokens.add(token);
  if (usdText !== undefined) prices.change(token.mint, { kind: 'set', usdText, ageMs: 0 });
  await journal.synced();
  return keyText(token.mint);
}
