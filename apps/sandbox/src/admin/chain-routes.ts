import { formatAmount } from '@agent-wallet/kernel';
import { z } from 'zod';
import { isMint, readMint, readTokenAccount, tokenAmount, tokenMint } from '../chain/token-layout.js';
import { isTokenAccount } from '../chain/token-layout.js';
import { tokenProgramName } from '../chain/programs.js';
import { RENT_SYSVAR, rentSysvar } from '../chain/rent-sysvar.js';
import { RawJson } from '../encoding/json.js';
import { type Key, keyText } from '../encoding/keys.js';
import { BadRequest, type JsonRoute, readBy } from '../http/json-server.js';
import { SendingFailed } from '../tokens/sender.js';
import type { AdminContext } from './admin-context.js';
import { readAddress, readAmount, readAsset } from './read-parameters.js';

const MOST_ADDRESSES = 1_000;
const MOST_ADVANCE_SECONDS = 10 * 365 * 24 * 3600;

const FaucetBody = z.strictObject({
  address: z.string().optional(),
  addresses: z.array(z.string()).min(1).max(MOST_ADDRESSES).optional(),
  token: z.string(),
  amount: z.union([z.number(), z.string()]),
});

const ClockBody = z.strictObject({ advanceSeconds: z.number().positive().max(MOST_ADVANCE_SECONDS) });

/** Mainnet's rate is 3,480; the bound keeps every rent an exact JSON number. */
const RentBody = z.strictObject({ lamportsPerByteYear: z.int().min(0).max(1_000_000) });

/** The faucet's money, the rent, the clock, and looking at the chain without going through the node. */
export function chainRoutes(context: AdminContext): JsonRoute[] {
  const { chain } = context;
  return [
    {
      method: 'POST',
      path: '/faucet',
      answer: async ({ body }) => ({ body: await pour(context, readBy(FaucetBody, body)) }),
    },
    { method: 'GET', path: '/chain/balance', answer: ({ query }) => ({ body: balance(context, query) }) },
    {
      method: 'GET',
      path: '/chain/accounts',
      answer: ({ query }) => ({ body: { accounts: accounts(context, query) } }),
    },
    {
      method: 'GET',
      path: '/chain/transactions',
      answer: ({ query }) => ({ body: { transactions: transactions(context, query) } }),
    },
    {
      method: 'POST',
      path: '/chain/land',
      answer: async () => {
        const landed = chain.landWaiting();
        await context.journal.synced();
        return { body: { landed } };
      },
    },
    {
      method: 'POST',
      path: '/rent',
      answer: async ({ body }) => {
        const { lamportsPerByteYear } = readBy(RentBody, body);
        chain.seed([{ key: RENT_SYSVAR, after: rentSysvar(lamportsPerByteYear) }]);
        await context.journal.synced();
        return { body: { lamportsPerByteYear, emptyAccountLamports: Number(chain.svm.rentExemption(0)) } };
      },
    },
    {
      method: 'POST',
      path: '/clock',
      answer: async ({ body }) => {
        const { slot, height, timeMs } = chain.advanceClock(readBy(ClockBody, body).advanceSeconds * 1000);
        await context.journal.synced();
        return { body: { slot, blockHeight: height, blockTime: Math.floor(timeMs / 1000) } };
      },
    },
  ];
}

async function pour(context: AdminContext, order: z.infer<typeof FaucetBody>): Promise<unknown> {
  if ((order.address === undefined) === (order.addresses === undefined)) {
    throw new BadRequest('either address or addresses is required');
  }
  const asset = readAsset(order.token, context.tokens, context.chain);
  const units = readAmount(order.amount, asset.decimals);
  const to = (order.addresses ?? [order.address]).map((text) => readAddress('address', text));
  const send = (address: Key): Promise<Key> =>
    asset.kind === 'sol' ? context.faucet.sendSol(address, units) : context.faucet.sendToken(address, asset, units);
  try {
    const signatures = (await Promise.all(to.map(send))).map(keyText);
    await context.journal.synced();
    return order.addresses === undefined ? { signature: signatures[0] } : { signatures };
  } catch (error) {
    throw error instanceof SendingFailed ? new BadRequest(error.message, 422) : error;
  }
}

function balance({ chain, tokens }: AdminContext, query: URLSearchParams): unknown {
  const address = readAddress('address', query.get('address'));
  const asset = readAsset(query.get('token'), tokens, chain);
  let raw = 0n;
  if (asset.kind === 'sol') raw = chain.account(address)?.lamports ?? 0n;
  else {
    const own = chain.account(address);
    const held = isTokenAccount(own) ? [own] : chain.accounts.tokenAccountsOf(address).map(({ account }) => account);
    for (const account of held) if (tokenMint(account) === asset.mint) raw += tokenAmount(account);
  }
  return { amount: new RawJson(formatAmount(raw, asset.decimals)), raw: raw.toString() };
}

function accounts({ chain }: AdminContext, query: URLSearchParams): unknown[] {
  const owner = readAddress('owner', query.get('owner'));
  return chain.accounts.tokenAccountsOf(owner).map(({ key, account }) => {
    const token = readTokenAccount(account);
    const mint = chain.account(token.mint);
    const decimals = isMint(mint) ? readMint(mint).decimals : 0;
    return {
      address: keyText(key),
      mint: keyText(token.mint),
      amount: new RawJson(formatAmount(token.amount, decimals)),
      raw: token.amount.toString(),
      owner: keyText(token.owner),
      delegate: token.delegate === undefined ? null : keyText(token.delegate),
      closeAuthority: token.closeAuthority === undefined ? null : keyText(token.closeAuthority),
      program: tokenProgramName(account.owner) === 'spl-token' ? 'token' : 'token-2022',
      state: token.state,
    };
  });
}

function transactions({ chain }: AdminContext, query: URLSearchParams): unknown[] {
  return chain.ledger.involving(readAddress('address', query.get('address'))).map((landed) => ({
    signature: keyText(landed.signature),
    slot: landed.slot,
    err: landed.error === null ? null : new RawJson(landed.error),
    blockTime: Math.floor(landed.timeMs / 1000),
  }));
}
