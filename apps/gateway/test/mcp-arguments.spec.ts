import { type policyV1, type swapV1, type walletV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const TO = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  ({ client } = await world.login());
});

/** Calls a tool with arguments as JSON text, which no client rewrites. */
async function call(name: string, argumentsJson: string) {
  const raw = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${argumentsJson}}}`;
  const reply = await client.call('POST', '/mcp', { raw, headers: { 'content-type': 'application/json' } });
  const message = /^data: (.*)$/m.exec(reply.text)?.[1] ?? reply.text;
  const { result } = JSON.parse(message) as { result: { isError?: boolean; content: [{ text: string }] } };
  const data = JSON.parse(result.content[0].text);
  return { isError: result.isError === true, data };
}

describe('arguments of a tool', () => {
  it.each([
    '{"from":"USDC","to":"SOL","amount":"5","slippageBps":"25","allowRisky":"true","maxPriceImpactPercent":"1.50"}',
    '{"from":"USDC","to":"SOL","amount":5,"slippageBps":25,"allowRisky":true,"maxPriceImpactPercent":1.5}',
  ])('reach the swap service alike: %s', async (given) => {
    const asked: swapV1.DryRunTradeRequest[] = [];
    const { dryRunTrade } = world.script.swap;
    world.script.swap.dryRunTrade = async (request) => {
      asked.push(request);
      return dryRunTrade(request);
    };
    expect(await call('prepare_trade', given)).toMatchObject({ isError: false });
    expect(asked).toMatchObject([{ amount: '5', slippageBps: 25, allowRisky: true, maxPriceImpactBps: 150 }]);
  });

  it.each(['"1.13"', '1.13'])('take dollars as %s', async (amountDollars) => {
    const prepared = await call('prepare_withdraw_prediction_balance', `{"amountDollars":${amountDollars}}`);
    expect(prepared).toMatchObject({ isError: false });
  });

  it.each(['"7000001"', '7000001', '7000001.0'])('take base units as %s', async (amountRaw) => {
    const asked: walletV1.TransferRequest[] = [];
    const { dryRunTransfer } = world.script.wallet;
    world.script.wallet.dryRunTransfer = async (request) => {
      asked.push(request as walletV1.TransferRequest);
      return dryRunTransfer(request);
    };
    expect(await call('prepare_transfer', `{"to":"${TO}","amountRaw":${amountRaw}}`)).toMatchObject({ isError: false });
    expect(asked).toMatchObject([{ amount: '', amountRaw: 7_000_001n }]);
  });

  it.each([
    `{"changes":{"dailyLimitInUsd":"600","allowTrading":"false","allowedRecipients":"[\\"${TO}\\"]"}}`,
    `{"changes":"{\\"dailyLimitInUsd\\":600,\\"allowTrading\\":false,\\"allowedRecipients\\":[\\"${TO}\\"]}"}`,
  ])('may hold a change of the policy as text: %s', async (given) => {
    const asked: policyV1.RequestApprovalRequest[] = [];
    const { requestApproval } = world.script.owners;
    world.script.owners.requestApproval = async (request, ...more) => {
      asked.push(request);
      return requestApproval!(request, ...more);
    };
    await call('propose_policy_change', given);
    expect(asked).toHaveLength(1);
    const change = JSON.stringify(asked[0], (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    expect(change).toContain('"600000000"');
    expect(change).toContain('"allowTrading":false');
    expect(change).toContain(TO);
  });

  it.each([
    ['prepare_buy_contracts', '{"ticker":"T","side":"yes","count":"five","maxPriceCents":"50"}', 'count'],
    ['prepare_buy_contracts', '{"ticker":"T","side":"yes","count":"1.5"}', 'count'],
    ['prepare_trade', '{"from":"USDC","to":"SOL","amount":".5"}', 'amount'],
    ['prepare_trade', '{"from":"USDC","to":"SOL","amount":"5","allowRisky":"yes"}', 'allowRisky'],
    ['propose_policy_change', '{"changes":"lower everything"}', 'changes'],
    ['list_markets', '{"limit":"ten"}', 'limit'],
  ])('of %s are refused by their field: %s', async (tool, given, field) => {
    const { isError, data } = await call(tool, given);
    expect([isError, data.code, data.details[0].field]).toEqual([true, 'VALIDATION_ERROR', field]);
  });

  it.each([
    ['prepare_transfer', `{"to":"${TO}","amount":"1","__proto__":{"memo":"x"}}`],
    ['get_balances', '{"__proto__":1}'],
    ['execute', '{"handle":"01938f6e-5b7a-7cc3-98c4-dc0c0c07398f","__proto__":{}}'],
    ['list_markets', '{"__proto__":{"limit":1}}'],
  ])('of %s name __proto__ as an unknown field', async (tool, given) => {
    const { isError, data } = await call(tool, given);
    expect([isError, data.code, data.details[0]]).toMatchObject([
      true,
      'VALIDATION_ERROR',
      { field: '__proto__', problem: 'unknown_field' },
    ]);
  });
});
