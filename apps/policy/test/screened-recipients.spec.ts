import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, newWallet, transferIntent } from './service.js';

const directory = mkdtempSync(path.join(tmpdir(), 'screening-'));
const file = path.join(directory, 'list');
const [wallet, listed, other] = [newWallet(), newWallet(), newWallet()].map(({ address }) => address);
const SCREENED = { code: 'INVALID_ADDRESS', data: { problem: 'screened' } };

let policy: PolicyUnderTest;
beforeAll(async () => {
  writeFileSync(file, `${listed}\n`);
  policy = await PolicyUnderTest.start({ screenedRecipientsPath: file });
});
beforeEach(() => policy.newAgent());
afterAll(async () => {
  await policy.stop();
  rmSync(directory, { recursive: true });
});

describe('a payment', () => {
  it('to a screened recipient gets no permit, and no dry run of it passes', async () => {
    const { agentId } = policy;
    const intent = transferIntent(wallet!, { recipient: listed });
    await expect(policy.wallet.dryRunAuthorize({ agentId, intent })).rejects.toMatchObject(SCREENED);
    await expect(policy.wallet.authorize(authorization(agentId, intent).request)).rejects.toMatchObject(SCREENED);
    const usage = await policy.gateway.getUsage({ agentId });
    expect(usage.reservedUsdMicros).toBe(0n);
  });

  it('to another recipient does, until the list has that, too', async () => {
    const { agentId } = policy;
    const intent = transferIntent(wallet!, { recipient: other });
    await policy.wallet.authorize(authorization(agentId, intent).request);
    writeFileSync(file, `${listed}\n${other}\n`);
    policy.service.passTime(5_000);
    const again = authorization(agentId, intent).request;
    await expect(policy.wallet.authorize(again)).rejects.toMatchObject(SCREENED);
  });
});
