import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentOf, operationOf, readCommandLine, reasonOf, UsageError } from '../src/command-line.js';
import { runOps } from '../src/index.js';

let emptyFolder: string;
beforeAll(async () => {
  emptyFolder = await mkdtemp(path.join(tmpdir(), 'ops-'));
});
afterAll(() => rm(emptyFolder, { recursive: true }));

async function run(...args: string[]): Promise<{ code: number; printed: string }> {
  const lines: string[] = [];
  const code = await runOps(args, { DATA_DIR: emptyFolder }, (line) => lines.push(line));
  return { code, printed: lines.join('\n') };
}

describe('the command line', () => {
  it.each([['--help'], ['-h'], ['freezes', '--help'], ['keys', '--help'], ['boots', '--help'], []])(
    'explains itself: %s',
    async (...args) => {
      const { code, printed } = await run(...args);
      expect([code, printed]).toEqual([0, expect.stringContaining('Usage: npm run ops')]);
    },
  );

  it('explains one noun, or one command', async () => {
    const noun = await run('freezes', '--help');
    expect(noun.printed).toContain('freezes create <agent|all>');
    expect(noun.printed).not.toContain('operations');
    const command = await run('operations', 'get', '--help');
    expect(command.printed).toContain('operations get <operation>');
    expect(command.printed).not.toContain('operations resend');
  });

  it.each([
    [['melt', 'all'], 'Unknown command: melt all.'],
    [['freezes'], 'Unknown command: freezes.'],
    [['freezes', 'create', 'all'], 'freezes create takes --reason'],
    [['freezes', 'create', 'all', '--reason', ' '], 'freezes create takes --reason'],
    [['freezes', 'create', '--reason', 'x'], 'freezes create takes the ID of an agent (a UUID), or all.'],
    [['freezes', 'delete', 'bob', '--reason', 'x'], 'freezes delete takes the ID of an agent (a UUID), or all.'],
    [['freezes', 'list', 'all'], 'freezes list takes no argument, but got all.'],
    [['operations', 'get', 'all'], 'operations get takes the ID of an operation (a UUID).'],
    [['operations', 'list'], 'operations list takes --open'],
    [['operations', 'resend', newId()], 'operations resend takes --reason'],
    [['operations', 'reject', newId()], 'operations reject takes --reason'],
    [['orders', 'abandon', newId()], 'orders abandon takes --reason'],
    [['funds', 'attribute', 'bank', '--reason', 'x'], 'funds attribute takes treasury or exchange.'],
    [['funds', 'attribute', 'treasury', '--amount', 'ten', '--reason', 'x'], 'takes --amount in dollars'],
    [['funds', 'attribute', 'treasury', '--amount', '0', '--reason', 'x'], 'takes --amount in dollars'],
    [['funds', 'attribute', 'exchange'], 'funds attribute takes --reason'],
    [['orders', 'resume'], 'orders resume takes --reason'],
    [['recovery', 'start', '--reason', 'x'], 'recovery start takes --since 3h'],
    [['recovery', 'unfreeze-treasury'], 'recovery unfreeze-treasury takes --reason'],
    [['operations', 'list', '--open', '--older-than', 'yesterday'], '--older-than takes a time like 30s, 5m or 2h'],
    [['operations', 'list', '--open', '--older-than', '1001h'], 'takes a time like 30s, 5m or 2h, at most 1000h.'],
    [['reconcile', 'everything'], 'reconcile takes no argument, but got everything.'],
    [['reconcile', '--since', '1d'], '--since takes a time like 30s, 5m or 2h'],
    [['history', 'reconcile', '--since', '60s'], 'history reconcile takes a --since that is longer than --older-than.'],
    [['reconcile', '--since', '2h', '--older-than', '2h'], 'reconcile takes a --since that is longer'],
    [['operations', 'list', '--younger-than', '5m'], "Unknown option '--younger-than'"],
    [['freezes', 'create', newId(), 'and', 'more'], 'and is one argument too many.'],
    [['boots', 'find', 'x'], 'Unknown command: boots find.'],
    [['keys', 'melt'], 'Unknown command: keys melt.'],
  ])('names the mistake before any service is called: %s', async (args, problem) => {
    const { code, printed } = await run(...args);
    expect([code, printed]).toEqual([2, expect.stringContaining(problem)]);
    const inJson = await run(...args, '--json');
    expect(inJson.code).toBe(2);
    expect(JSON.parse(inJson.printed)).toEqual({
      error: expect.objectContaining({ message: expect.stringContaining(problem) }),
    });
  });

  it('says how to find the services where none are named', async () => {
    const { code, printed } = await run('freezes', 'list');
    expect(code).toBe(1);
    expect(printed).toContain('ops.json cannot be read: start the wallet (npm start)');
  });
});

describe('an input', () => {
  it('has its subject, reason, operator and age', () => {
    const agent = newId();
    const args = ['freezes', 'create', agent, '--reason', 'stolen', '--operator', 'ann', '--older-than', '2h'];
    const input = readCommandLine(args, 'bob').inputOf(2);
    expect(input).toEqual({
      command: 'freezes create',
      subject: agent,
      reason: 'stolen',
      operator: 'ann',
      olderThanMs: 7_200_000,
      sinceMs: undefined,
      open: false,
      source: undefined,
      withdraw: false,
    });
    expect([agentOf(input), operationOf(input), reasonOf(input)]).toEqual([agent, agent, 'stolen']);
  });

  it('takes the user for the operator by default, and all agents for all', () => {
    const input = readCommandLine(['freezes', 'create', 'all', '--reason', 'x'], 'bob').inputOf(2);
    expect([input.operator, agentOf(input), input.olderThanMs]).toEqual(['bob', '', undefined]);
    expect(() => operationOf(input)).toThrow(UsageError);
  });
});
