import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentWallet } from '../src/index.js';
import { type ToolName, walletTools, type WalletToolOptions } from '../src/tools.js';
import { cut, failure, ScriptedService, success, tokenOf } from './scripted-service.js';

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

const walletOf = () => new AgentWallet({ baseUrl: service.url, timeoutMs: 300, retryForMs: 0 }, tokenOf('agent'));

/** Calls a tool, and reads its text. */
async function answerOf(name: ToolName, input: unknown, options?: WalletToolOptions): Promise<unknown> {
  const tool = walletTools(walletOf(), options).find((each) => each.name === name)!;
  return JSON.parse(await tool.run(input));
}

const PAYMENT = { to: 'a', amount: '0.1234567890123456789', mint: 'USDC' };

function deep(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

describe('a tool', () => {
  it('reads, with its input in path and query', async () => {
    service.script(success({ transactions: [], nextCursor: null }));
    expect(await answerOf('list_transactions', { limit: 5, action: 'trade', cursor: null })).toEqual({
      ...{ transactions: [], nextCursor: null },
    });
    expect(service.seen[0]).toMatchObject({ method: 'GET', path: '/wallets/me/history?limit=5&action=trade' });
    await answerOf('get_token', { query: 'a/b?' });
    expect(service.seen[1]?.path).toBe('/tokens/a%2Fb%3F');
  });

  it('pays with each digit of an amount and a key of its own', async () => {
    service.script(success({ transactionStatus: 'submitted', transactionId: 't' }, 202), success({ signature: 's' }));
    expect(await answerOf('transfer', PAYMENT)).toEqual({ signature: 's' });
    expect(service.seen.map(({ path }) => path)).toEqual(Array(2).fill('/wallets/me/actions/transfer'));
    expect(service.seen[0]?.body).toBe('{"to":"a","amount":0.1234567890123456789,"mint":"USDC"}');
    expect(service.seen[0]?.headers['idempotency-key']).toBe(service.seen[1]?.headers['idempotency-key']);
  });

  it('shows what a payment would come to, without a key', async () => {
    service.script(success({ status: 'dry_run' }));
    expect(await answerOf('transfer', { ...PAYMENT, dryRun: true })).toEqual({ status: 'dry_run' });
    expect(service.seen[0]?.path).toBe('/wallets/me/actions/transfer?dryRun=true');
    expect(service.seen[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('says why the service refuses', async () => {
    service.script(failure(403, { code: 'POLICY_VIOLATION', retry: 'new_key' }));
    expect(await answerOf('transfer', PAYMENT)).toMatchObject({
      error: { code: 'POLICY_VIOLATION', retry: 'new_key', message: 'POLICY_VIOLATION.' },
    });
  });

  it.each<[string, ToolName, unknown]>([
    ['no object', 'transfer', 'all of it'],
    ['a list', 'transfer', []],
    ['an unknown field', 'transfer', { ...PAYMENT, amountRaw: '1' }],
    ['a field of every object', 'transfer', { ...PAYMENT, constructor: 1 }],
    ['a dry run that is text', 'transfer', { ...PAYMENT, dryRun: 'true' }],
    ['a dry run that is a number', 'transfer', { ...PAYMENT, dryRun: 1 }],
    ['a missing field', 'transfer', { to: 'a' }],
    ['a number as amount', 'transfer', { ...PAYMENT, amount: 1.5 }],
    ['an amount that is more than text', 'transfer', { ...PAYMENT, amount: '1,"to":"b"' }],
    ['a dry run as text', 'transfer', { ...PAYMENT, dryRun: 'true' }],
    ['a dry run as a number', 'trade', { from: 'SOL', to: 'USDC', amount: '1', dryRun: 1 }],
    ['half a character in its path', 'get_token', { query: '\ud800' }],
    ['an input that is too deep', 'transfer', { ...PAYMENT, memo: deep(20_000) }],
    ['a way out of its path', 'get_transaction', { transactionId: '..' }],
    ['an empty part of its path', 'get_market', { ticker: '' }],
  ])('sends nothing for %s, and says so', async (_, name, input) => {
    service.script(success({}));
    expect(await answerOf(name, input)).toEqual({ error: { code: 'VALIDATION_ERROR', message: expect.any(String) } });
    expect(service.seen).toEqual([]);
  });

  it('continues an equal payment whose outcome is not known', async () => {
    const wallet = walletOf();
    const transfer = walletTools(wallet).find(({ name }) => name === 'transfer')!;
    service.script(cut);
    expect(JSON.parse(await transfer.run(PAYMENT))).toMatchObject({
      key: expect.any(String),
      next: expect.any(String),
    });
    const { key } = (await wallet.pending())[0]!;
    service.script(success({ signature: 's' }));
    expect(JSON.parse(await transfer.run(PAYMENT))).toEqual({ signature: 's' });
    expect(service.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([key]);
  });

  it.each([null, [], {}])('calls no payment invalid that was accepted with %j', async (data) => {
    service.script(success(data as object, 202));
    expect(await answerOf('transfer', PAYMENT)).toEqual({ key: expect.any(String), next: expect.any(String) });
  });

  it('does not wait for the owner longer than it may', async () => {
    const accepted = { transactionStatus: 'awaiting_approval', transactionId: 't', approvalUrl: 'https://o/1' };
    service.script(success(accepted, 202));
    expect(await answerOf('transfer', PAYMENT, { waitMs: 0 })).toEqual({ ...accepted, next: expect.any(String) });
  });

  it('says that a read got no answer', async () => {
    service.script(cut);
    expect(await answerOf('get_wallet', {})).toMatchObject({ error: { code: 'NO_ANSWER' } });
  });
});

describe('the tools of a wallet', () => {
  const names = (options?: WalletToolOptions) => walletTools(walletOf(), options).map(({ name }) => name);

  it('are those that were asked for', () => {
    expect(names({ only: ['trade', 'get_wallet'] })).toEqual(['get_wallet', 'trade']);
    expect(names({ isReadOnly: true, only: ['trade', 'get_wallet'] })).toEqual(['get_wallet']);
  });

  it('are not asked for by a name that none has', () => {
    expect(() => names({ only: ['transfers' as ToolName] })).toThrow('transfers');
  });

  it('move no money where that is asked for', () => {
    const paying = names().filter((name) => !names({ isReadOnly: true }).includes(name));
    expect(paying).toEqual([
      ...['transfer', 'unwrap_sol', 'trade', 'add_liquidity', 'remove_liquidity'],
      ...['buy_contracts', 'sell_contracts', 'withdraw_prediction_balance'],
    ]);
  });

  it('are within what providers of models take', () => {
    for (const { name, description, parameters } of walletTools(walletOf())) {
      expect(name).toMatch(/^[a-z_]{1,64}$/);
      expect(description.length).toBeLessThanOrEqual(1_024);
      expect(Object.keys(parameters.properties)).toEqual(expect.arrayContaining([...parameters.required]));
      expect(JSON.stringify(parameters)).not.toContain('$ref');
    }
  });
});
