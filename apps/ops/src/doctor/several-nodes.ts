import { type Environment, readSettings, setting, SettingsError } from '@agent-wallet/platform';
import { type Check, defineCheck, type Finding, ok, originOf, warn } from './check.js';
import { examineNode } from './node.js';

const FURTHER = { SOLANA_RPC_URLS: setting.urls('http', 'https').default([]) };

const quorum = defineCheck({
  name: 'quorum',
  area: 'node',
  settings: { SOLANA_RPC_URL: setting.url('http', 'https'), ...FURTHER },
  advice: 'Correct SOLANA_RPC_URLS.',
  async run({ SOLANA_RPC_URL: first, SOLANA_RPC_URLS: further }) {
    const urls = [first, ...further];
    if (urls.length === 1) return ok('one node, whose answers are believed');
    const hosts = urls.map((url) => new URL(url).hostname);
    const shared = [...new Set(hosts.filter((host, index) => hosts.indexOf(host) !== index))];
    const findings = [
      ...(shared.length > 0
        ? [
            warn(
              `several nodes are at ${shared.join(', ')}`,
              'Use nodes of different providers: nodes of one share its faults, so their quorum proves less.',
            ),
          ]
        : []),
      ...(urls.length === 2
        ? [warn('of two nodes both must agree', 'Add a third node: while one of two is away, payments stop.')]
        : []),
    ];
    return findings.length > 0
      ? together(findings)
      : ok(`${Math.floor(urls.length / 2) + 1} of ${urls.length} nodes decide`);
  },
});

/** Returns the checks of several nodes: their quorum, and each of SOLANA_RPC_URLS. */
export function severalNodesChecks(environment: Environment): readonly Check[] {
  return [quorum, ...furtherUrls(environment).map((url, index) => furtherNode(url, index + 2))];
}

/** Returns no URL for a malformed list: the check of the quorum says so. */
function furtherUrls(environment: Environment): readonly string[] {
  try {
    return readSettings(FURTHER, environment).SOLANA_RPC_URLS;
  } catch (error) {
    if (error instanceof SettingsError) return [];
    throw error;
  }
}

/** @param place as metrics name it: the node of SOLANA_RPC_URL is the first */
function furtherNode(url: string, place: number): Check {
  return defineCheck({
    name: `${place} at ${originOf(url)}`,
    area: 'node',
    settings: { SOLANA_NETWORK: setting.network().optional() },
    advice: 'Check SOLANA_RPC_URLS and the way to this node (docs/runbooks/chain-node-unreliable.md).',
    run: async ({ SOLANA_NETWORK: expected }, context) => together(await examineNode(url, expected, context)),
  });
}

const STATUSES = ['ok', 'warn', 'fail'] as const;

/** Returns findings as one: the worst status, and each observation and advice once. */
function together(findings: readonly Finding[]): Finding {
  const worst = Math.max(...findings.map(({ status }) => STATUSES.indexOf(status)));
  const advice = new Set(findings.flatMap((finding) => finding.advice ?? []));
  return {
    status: STATUSES[worst]!,
    found: [...new Set(findings.map(({ found }) => found))].join('; '),
    advice: advice.size > 0 ? [...advice].join(' ') : null,
  };
}
