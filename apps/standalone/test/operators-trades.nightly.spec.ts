import { newId } from '@agent-wallet/kernel';
import { runOps } from '@agent-wallet/ops';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, deploy } from './harness/deployment.js';

let deployment: Deployment;

beforeAll(async () => {
  // Of its own: the clock of its chain is advanced, after which prices that were read before are too old for a while.
  deployment = await deploy({ copies: 2 });
});

afterAll(() => deployment?.stop());

async function ops(...args: string[]): Promise<{ code: number; printed: string }> {
  const lines: string[] = [];
  const code = await runOps(args, deployment.operatorEnvironment(), (line) => lines.push(line));
  return { code, printed: lines.join('\n') };
}

const BECAUSE = ['--reason', 'the aggregator fails', '--operator', 'ann'];

describe('a trade whose outcome is not known', () => {
  it('is listed, explained and offered again by the service that owns it', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    await deployment.sandbox.arm({ part: 'aggregator', fault: 'failedToLand', times: 1_000 });
    const trade = () => agent.trade({ from: 'USDC', to: 'SOL', amount: 7 }, 'lost');
    const answering = trade();
    const open = async () =>
      /(\S+) {2}trade {2}submitted/.exec((await ops('operations', 'list', '--open')).printed)?.[1];
    const id = (await eventually(open, (found) => found !== undefined))!;
    expect((await ops('operations', 'get', id)).printed).toMatch(
      /trade {2}submitted.*\nExternal state: It is not found.*\nNext step: /,
    );
    const again = await ops('operations', 'resend', id, ...BECAUSE);
    // The same bytes once more to an aggregator that still fails, which says so.
    expect([again.code, again.printed]).toEqual([1, expect.stringContaining('UPSTREAM_ERROR')]);
    await deployment.sandbox.advanceClock(600);
    await answering;
    const { body } = await eventually(trade, ({ status }) => ![202, 409].includes(status));
    expect(body.data).toMatchObject({ code: 'TRANSACTION_EXPIRED', transactionId: id });
    await deployment.sandbox.disarm();
    expect((await ops('operations', 'get', id)).printed).toContain('trade  expired');
    const unknown = await ops('operations', 'get', newId());
    expect([unknown.code, unknown.printed]).toEqual([1, expect.stringContaining('NOT_FOUND')]);
  });
});
