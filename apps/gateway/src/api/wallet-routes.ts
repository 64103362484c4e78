import { knownAgent } from '../application/connect/session.js';
import { balancesResponse, tokenResponse } from '../application/responses/wallet-response.js';
import { grantOf } from './grant-of.js';
import { notFound } from '@agent-wallet/kernel';
import { z } from 'zod';
import { ADDRESS, ID, USDC } from './schemas/examples.js';
import { defineRoute } from './route.js';
import { balancesRecord, tokenRecord, walletRecord } from './schemas/wallet-records.js';

export const walletRoute = defineRoute(
  {
    id: 'getWallet',
    tool: true,
    method: 'GET',
    path: '/wallets/me',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Get the agent and its wallet',
    response: walletRecord,
    errors: [],
    example: {
      response: {
        agentId: ID,
        email: 'agent@example.com',
        chainAddress: ADDRESS,
        solanaAddress: ADDRESS,
        claimed: false,
        grant: null,
      },
    },
  },
  async ({ caller }, { sessions, services: { policy: policies } }) => {
    const { agentId } = caller;
    const [{ email, address }, { claimed }, grant] = await Promise.all([
      knownAgent(sessions, agentId),
      policies.policy(agentId),
      grantOf(caller, policies),
    ]);
    return { data: { agentId, email, chainAddress: address, solanaAddress: address, claimed, grant } };
  },
);

export const balancesRoute = defineRoute(
  {
    id: 'getBalances',
    tool: true,
    method: 'GET',
    path: '/wallets/me/balances',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Get balances with their value in US dollars',
    notes:
      'Wallets show a `scaled` token by a multiplier or with interest. Its `balance` is `amountRaw` by `decimals`, as ' +
      'requests count, and its `usdValue` is null.',
    response: balancesRecord,
    errors: [],
    example: {
      response: {
        chainAddress: ADDRESS,
        sol: { balance: 1.5, amountRaw: '1500000000', decimals: 9, usdValue: 225 },
        tokens: [
          {
            ...{ mint: USDC, symbol: 'USDC', balance: 64.1, amountRaw: '64100000', decimals: 6, usdValue: 64.1 },
            ...{ liquidity: null, scaled: false },
          },
        ],
        totalUsdValue: 289.1,
        pricedAt: '2026-11-21T10:00:00.000Z',
      },
    },
  },
  async ({ caller: { agentId } }, { services: { wallet, swap } }) => {
    const balances = await wallet.balances(agentId);
    // Balances are worth showing without the value of positions.
    const positions = balances.tokens.some(({ isLiquidity }) => isLiquidity)
      ? await swap.positions(agentId).catch(() => undefined)
      : undefined;
    return { data: balancesResponse(balances, positions) };
  },
);

/** Names of tokens; the wallet service is not called for anything else. */
const TOKEN_QUERY = /^[^\p{C}]{1,64}$/u;

export const tokenRoute = defineRoute(
  {
    id: 'getToken',
    tool: true,
    method: 'GET',
    path: '/tokens/{query}',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Get token metadata and mint authorities',
    notes:
      'A symbol resolves by a built-in list (SOL, USDC, USDT, JUP, BONK, WIF, RAY, ORCA) or an exact verified match; ' +
      'every other token is named by its mint.',
    params: z.strictObject({ query: z.string().meta({ description: 'Symbol or mint address.' }) }),
    response: tokenRecord,
    errors: ['NOT_FOUND', 'UPSTREAM_ERROR'],
    example: {
      response: {
        mint: USDC,
        symbol: 'USDC',
        name: 'USD Coin',
        decimals: 6,
        verified: true,
        safety: {
          freezeAuthority: '7dGbd2QZcCKcTndnHcTL8q7SMVXAkp688NTQYwrRCrar',
          mintAuthority: 'BJE5MMbqXjVwjAF7oxwPYXnTXDyspzZyt4vwenNw5ruG',
          permanentDelegate: null,
          transferHook: null,
          transferFeeBps: 0,
          maxTransferFeeRaw: '0',
          unsafeExtensions: [],
        },
      },
    },
  },
  async ({ input: { params }, caller: { agentId } }, { services: { wallet } }) => {
    const token = TOKEN_QUERY.test(params.query) ? await wallet.token(params.query, agentId) : undefined;
    if (!token) throw notFound('token', 'Use a symbol or a mint address.');
    return { data: tokenResponse(token) };
  },
);
