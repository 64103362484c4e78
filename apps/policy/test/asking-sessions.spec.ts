import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentOf, OwnersUnderTest } from './owners-under-test.js';

let policy: OwnersUnderTest;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
}, 60_000);
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  await policy.newClaim();
});

const CHANGE = { dailyLimitUsdMicros: 600_000_000n };
const loggedInAtMs = BigInt(Date.UTC(2026, 10, 26, 12));
const loggedInAt = '2026-11-26T12:00:00.000Z';

describe('the document of a proposal', () => {
  it.each(['203.0.113.0/24', '2001:db8:1::/48'])('names the session that asked, from %s', async (network) => {
    const approval = await policy.propose({ ...CHANGE, session: { loggedInAtMs, network } });
    expect(documentOf(approval).session).toEqual({ loggedInAt, network });
  });

  it('names no network that is not known, and no session', async () => {
    const approval = await policy.propose({ ...CHANGE, session: { loggedInAtMs, network: '' } });
    expect(documentOf(approval).session).toEqual({ loggedInAt });
    const another = await policy.propose({ dailyLimitUsdMicros: 700_000_000n });
    expect(documentOf(another)).not.toHaveProperty('session');
  });

  it.each([
    ['a network that is text', { loggedInAtMs, network: 'home' }],
    ['an address', { loggedInAtMs, network: '203.0.113.7' }],
    ['a negative time', { loggedInAtMs: -1n, network: '' }],
    ['a time that no calendar has', { loggedInAtMs: 8_640_000_000_000_001n, network: '' }],
  ])('takes no %s', async (_what, session) => {
    await expect(policy.propose({ ...CHANGE, session })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
