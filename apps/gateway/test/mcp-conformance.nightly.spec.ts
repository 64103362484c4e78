import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BearerProxy, startBearerProxy } from './mcp-conformance/bearer-proxy.js';
import { type Fixture, startFixture } from './mcp-conformance/fixture.js';
import { isPassed, type Revision, runSuite } from './mcp-conformance/suite.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

/** Runs the suite, and fails with its output. */
async function conform(url: string, revision: Revision, expectedFailures?: string) {
  const suite = await runSuite(url, revision, expectedFailures);
  if (suite.code !== 0) throw new Error(`The suite ended with ${suite.code}:\n${suite.output}`);
  return suite;
}

describe('the transport, with the server of the suite behind it', () => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.close());

  it.each<[Revision, number, readonly string[]]>([
    ['2026-07-28', 37, ['http-header-validation', 'http-custom-header-server-validation', 'json-schema-2020-12']],
    ['2025-11-25', 30, ['server-session-lifecycle', 'json-schema-2020-12']],
  ])('passes every scenario that %s requires', async (revision, count, optional) => {
    const suite = await conform(fixture.url, revision);
    expect([...suite.required, ...optional].filter((scenario) => !isPassed(suite, scenario))).toEqual([]);
    expect(suite.required).toHaveLength(count);
  });
});

describe('the wallet', () => {
  let world: World;
  let proxy: BearerProxy;

  beforeAll(async () => {
    world = await World.open({ rateLimits: GENEROUS });
    const { token } = await world.login();
    proxy = await startBearerProxy(world.client.url, token);
  });
  afterAll(async () => {
    await proxy.close();
    await world.close();
  });

  it.each<[Revision, readonly string[], Readonly<Record<string, number>>]>([
    [
      '2026-07-28',
      [
        'tools-list',
        'server-sse-multiple-streams',
        'resources-list',
        'sep-2164-resource-not-found',
        'prompts-list',
        'dns-rebinding-protection',
        'caching',
        'input-required-result-unsupported-methods',
        'input-required-result-validate-input',
      ],
      { 'server-stateless': 24 },
    ],
    [
      '2025-11-25',
      ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'],
      {},
    ],
  ])('passes the checks of %s that need none of the tools of the suite', async (revision, whole, inPart) => {
    const suite = await conform(`${proxy.url}/mcp`, revision, `wallet-${revision}.yaml`);
    expect(suite.required.filter((scenario) => isPassed(suite, scenario))).toEqual(whole);
    for (const [scenario, count] of Object.entries(inPart)) {
      const succeeded = suite.checks.get(scenario)?.filter((status) => status === 'SUCCESS');
      expect([scenario, succeeded?.length]).toEqual([scenario, count]);
    }
  });
});
