import { AmountError, formatAmount, parseUsd } from '@agent-wallet/kernel';
import { z } from 'zod';
import { RawJson } from '../encoding/json.js';
import type { AccountFill, AccountOrder } from '../exchange/engine/exchange.js';
import { countText, dollarsText } from '../exchange/rest/fixed-point.js';
import { BadRequest, type JsonRoute, readBy } from '../http/json-server.js';
import type { AdminContext } from './admin-context.js';
import { refusing } from './market-routes.js';

const AccountBody = z.strictObject({ addUsd: z.union([z.number(), z.string()]) });
const ExchangeBody = z.strictObject({ isTrading: z.boolean() });

/** The operator's account at the exchange as it really is, money in and out of it, and the exchange's own switch. */
export function accountRoutes(context: AdminContext): JsonRoute[] {
  const { exchange, journal } = context;
  return [
    { method: 'GET', path: '/exchange/account', answer: () => ({ body: accountJson(context) }) },
    {
      method: 'POST',
      path: '/exchange/account',
      answer: async ({ body }) => {
        const micros = signedMicros(String(readBy(AccountBody, body).addUsd));
        refusing(() => exchange.adjustCash(micros));
        await journal.synced();
        return { body: accountJson(context) };
      },
    },
    {
      method: 'POST',
      path: '/exchange/status',
      answer: async ({ body }) => {
        exchange.setTrading(readBy(ExchangeBody, body).isTrading);
        await journal.synced();
        return { body: { isTrading: exchange.isTrading } };
      },
    },
  ];
}

function signedMicros(text: string): bigint {
  try {
    const micros: bigint = parseUsd(text.replace(/^-/, ''));
    return text.startsWith('-') ? -micros : micros;
  } catch (error) {
    if (error instanceof AmountError) throw new BadRequest(`addUsd: ${error.message}`);
    throw error;
  }
}

function accountJson({ exchange }: AdminContext): unknown {
  const account = exchange.account();
  return {
    balanceDollars: dollarsText(account.balanceMicros),
    cashDollars: dollarsText(account.cashMicros),
    positions: account.positions
      .filter(({ hundredths }) => hundredths !== 0n)
      .map(({ ticker, hundredths }) => ({ ticker, position: new RawJson(formatAmount(hundredths, 2)) })),
    orders: account.orders.map(orderJson),
    fills: account.fills.map(fillJson),
  };
}

function orderJson(order: AccountOrder): unknown {
  return {
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    ticker: order.ticker,
    side: order.side,
    status: order.status,
    yesPriceDollars: dollarsText(order.priceMicros),
    count: countText(order.initialHundredths),
    filled: countText(order.filledHundredths),
    createdAt: new Date(order.createdMs).toISOString(),
  };
}

function fillJson(fill: AccountFill): unknown {
  return {
    fillId: fill.fillId,
    orderId: fill.orderId,
    ticker: fill.ticker,
    side: fill.outcome,
    count: countText(fill.hundredths),
    yesPriceDollars: dollarsText(fill.yesPriceMicros),
    feeDollars: dollarsText(fill.feeMicros),
    at: new Date(fill.timeMs).toISOString(),
  };
}
