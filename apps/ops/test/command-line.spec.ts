import { newId } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentOf, operationOf, readOrder, reasonOf, UsageError } from '../src/command-line.js';
import { runOps } from '../src/index.js';

async function run(...args: string[]): Promise<{ code: number; printed: string }> {
  const lines: string[] = [];
  const emptyFolder = await mkdtemp(path.join(tmpdir(), 'ops-'));
  const code = await runOps(args, { DATA_DIR: emptyFolder }, (line) => lines.push(line));
  return { code, printed: lines.join('\n') };
}

describe('the command line', () => {
  it.each([['--help'], ['-h'], ['freeze', '--help'], []])('explains itself: %s', async (...args) => {
    const { code, printed } = await run(...args);
    expect([code, printed]).toEqual([0, expect.stringContaining('Usage: npm run ops')]);
  });

  it.each([
    [['melt', 'all'], 'There is no command melt.'],
    [['freeze', 'all'], 'freeze takes --reason'],
    [['freeze', 'all', '--reason', ' '], 'freeze takes --reason'],
    [['freeze', '--reason', 'x'], 'freeze takes the id of an agent (a UUID), or all.'],
    [['freeze', 'bob', '--reason', 'x'], 'freeze takes the id of an agent (a UUID), or all.'],
    [['explain', 'all'], 'explain takes the id of an operation (a UUID).'],
    [['resend', newId()], 'resend takes --reason'],
    [['attribute-funds', 'bank', '--reason', 'x'], 'attribute-funds takes treasury or exchange.'],
    [['attribute-funds', 'treasury', '--amount', 'ten', '--reason', 'x'], 'takes --amount in dollars'],
    [['attribute-funds', 'treasury', '--amount', '0', '--reason', 'x'], 'takes --amount in dollars'],
    [['attribute-funds', 'exchange'], 'attribute-funds takes --reason'],
    [['resume-orders'], 'resume-orders takes --reason'],
    [['open', '--older-than', 'yesterday'], '--older-than takes a time like 30s, 5m or 2h'],
    [['open', '--older-than', '1001h'], '--older-than takes a time like 30s, 5m or 2h, at most 1000h.'],
    [['reconcile', 'everything'], 'reconcile takes books or history.'],
    [['reconcile', '--since', '1d'], '--since takes a time like 30s, 5m or 2h'],
    [['reconcile', '--since', '60s'], 'reconcile takes a --since that is longer than --older-than.'],
    [['reconcile', '--since', '2h', '--older-than', '2h'], 'reconcile takes a --since that is longer'],
    [['open', '--younger-than', '5m'], "Unknown option '--younger-than'"],
    [['freeze', newId(), 'and', 'more'], 'and is one word too many.'],
  ])('says what is wrong before anybody is asked: %s', async (args, problem) => {
    const { code, printed } = await run(...args);
    expect([code, printed]).toEqual([2, expect.stringContaining(problem)]);
  });

  it('says how to find the services where none are named', async () => {
    const { code, printed } = await run('frozen');
    expect(code).toBe(1);
    expect(printed).toContain('ops.json cannot be read: start the wallet (npm start)');
  });
});

describe('an order', () => {
  it('is read with its subject, reason, operator and age', () => {
    const agent = newId();
    const order = readOrder(['freeze', agent, '--reason', 'stolen', '--operator', 'ann', '--older-than', '2h'], 'bob');
    expect(order).toEqual({
      command: 'freeze',
      subject: agent,
      reason: 'stolen',
      operator: 'ann',
      olderThanMs: 7_200_000,
      sinceMs: undefined,
    });
    if (order === 'help') throw new TypeError('it is an order');
    expect([agentOf(order), operationOf(order), reasonOf(order)]).toEqual([agent, agent, 'stolen']);
  });

  it('comes from the user when nobody is named, and means everything by all', () => {
    const order = readOrder(['freeze', 'all', '--reason', 'x'], 'bob');
    if (order === 'help') throw new TypeError('it is an order');
    expect([order.operator, agentOf(order), order.olderThanMs]).toEqual(['bob', '', undefined]);
    expect(() => operationOf(order)).toThrow(UsageError);
  });
});
