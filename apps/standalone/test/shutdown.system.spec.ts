import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient, ClientResponse, TransferData } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { transfersOf, usedWhenQuiet } from './harness/spending.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment();
});

const COUNT = 40;
const ONE_USDC = 1_000_000n;

/**
 * One transfer as skill.md instructs: the same key until there is a final response, through any failure of the network.
 */
async function send(agent: AgentClient, to: string, key: string): Promise<ClientResponse<TransferData>> {
  const ask = () => agent.transfer({ to, amount: 1, mint: 'USDC' }, key).catch(() => undefined);
  const answered = (answer: ClientResponse<TransferData> | undefined) =>
    answer !== undefined && ![202, 409, 502, 503, 504].includes(answer.status);
  return (await eventually(ask, answered, 90_000))!;
}

describe.each(['gateway-0', 'wallet-0', 'policy-0', 'signer-0', 'history-0'])('SIGTERM to %s under load', (name) => {
  it('ends with exit code 0, and loses and doubles nothing', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 200 });
    const to = newRecipient();
    await deployment.sandbox.faucet(to, 'USDC', 1);
    const sending = Promise.all(Array.from({ length: COUNT }, (_, n) => send(agent, to, `${name}-${n}`)));
    await eventually(
      () => deployment.sandbox.balanceRaw(to, 'USDC'),
      (raw) => raw > ONE_USDC,
    );
    expect(await deployment.terminate(name)).toBe(0);
    await deployment.restart(name);
    expect((await sending).map(({ status }) => status)).toEqual(Array(COUNT).fill(200));
    expect(await deployment.sandbox.balanceRaw(to, 'USDC')).toBe(ONE_USDC + BigInt(COUNT) * ONE_USDC);
    expect(await usedWhenQuiet(agent)).toBe(BigInt(COUNT) * ONE_USDC);
    const records = await eventually(
      () => transfersOf(agent),
      (found) => found.filter(({ status }) => status === 'confirmed').length === COUNT,
    );
    expect(records).toHaveLength(COUNT);
  });
});
