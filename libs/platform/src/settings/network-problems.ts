import { hasMarkets, isRealMoney, namedTokens, SOLANA_NETWORKS, type SolanaNetwork } from '@agent-wallet/kernel';

/** Settings that must fit the network: as they are read, and absent where a service does not have one. */
interface NetworkSettings {
  readonly SOLANA_NETWORK?: unknown;
  readonly SOLANA_RPC_URL?: unknown;
  readonly SOLANA_RPC_URLS?: unknown;
  readonly SOLANA_SEND_URLS?: unknown;
  readonly JUPITER_BASE_URL?: unknown;
  readonly RAYDIUM_API_URL?: unknown;
  readonly KALSHI_BASE_URL?: unknown;
  readonly SANDBOX_ADMIN_URL?: unknown;
  readonly PEGGED_TOKENS_PATH?: unknown;
  readonly PARTS?: unknown;
}

/** Hosts of public nodes, which say by themselves which network they are on. */
const PUBLIC_NODES: ReadonlyMap<string, SolanaNetwork> = new Map([
  ['api.mainnet-beta.solana.com', 'mainnet-beta'],
  ['api.mainnet.solana.com', 'mainnet-beta'],
  ['api.devnet.solana.com', 'devnet'],
  ['api.testnet.solana.com', 'testnet'],
]);

/** Upstreams of markets whose hosts are known to be for real money, or for test money. */
const MARKETS = {
  JUPITER_BASE_URL: { real: /(^|\.)jup\.ag$/, test: undefined },
  RAYDIUM_API_URL: { real: /^api-v3\.raydium\.io$/, test: /^api-v3-devnet\.raydium\.io$/ },
  KALSHI_BASE_URL: { real: /(^|\.)kalshi\.com$/, test: /(^|\.)kalshi\.co$/ },
} as const;

/**
 * Returns what would mix the money of one network with the prices, tokens or nodes of another. Real money must never
 * meet an imaginary price, and worthless money no real one.
 * @returns problems, each beginning with the setting's name; none where `SOLANA_NETWORK` is not among the settings
 */
export function networkProblems(settings: NetworkSettings): readonly string[] {
  const network = SOLANA_NETWORKS.find((each) => each === settings.SOLANA_NETWORK);
  if (!network) return [];
  return [
    ...nodeProblems(network, settings),
    ...Object.entries(MARKETS).flatMap(([name, hosts]) =>
      marketProblems(network, { name, url: settings[name as keyof typeof MARKETS], ...hosts }),
    ),
    ...partProblems(network, settings),
    ...pegProblems(network, settings),
    ...(settings.SANDBOX_ADMIN_URL !== undefined && network !== 'sandbox'
      ? [`SANDBOX_ADMIN_URL: is for SOLANA_NETWORK=sandbox, but that is ${network}. Remove it.`]
      : []),
  ];
}

function nodeProblems(network: SolanaNetwork, settings: NetworkSettings): readonly string[] {
  return (['SOLANA_RPC_URL', 'SOLANA_RPC_URLS', 'SOLANA_SEND_URLS'] as const).flatMap((name) =>
    [settings[name]].flat().flatMap((url) => {
      const found = PUBLIC_NODES.get(hostOf(url));
      if (!found || found === network) return [];
      return [`${name}: is a node of ${found}, but SOLANA_NETWORK is ${network}. Correct one of the two.`];
    }),
  );
}

function marketProblems(
  network: SolanaNetwork,
  market: { readonly name: string; readonly url: unknown; readonly real: RegExp; readonly test: RegExp | undefined },
): readonly string[] {
  const { name, url, real, test } = market;
  if (typeof url !== 'string') return [];
  if (!hasMarkets(network)) return [`${name}: no market serves ${network}. Remove it, and use transfers alone.`];
  const host = hostOf(url);
  if (!isRealMoney(network))
    return real.test(host)
      ? [`${name}: is for real money, but SOLANA_NETWORK is ${network}. Use the sandbox's, or remove it.`]
      : [];
  if (test?.test(host)) return [`${name}: is for test money, but SOLANA_NETWORK is ${network}. Use the real one.`];
  if (new URL(url).protocol === 'https:') return [];
  return [`${name}: must be https on ${network}, where a forged response costs real money`];
}

function partProblems(network: SolanaNetwork, { PARTS }: NetworkSettings): readonly string[] {
  const needing = Array.isArray(PARTS) ? PARTS.filter((part) => part !== 'transfers') : [];
  if (hasMarkets(network) || needing.length === 0) return [];
  return [`PARTS: ${needing.join(', ')} cannot be had on ${network}, which no market serves. Set PARTS=transfers.`];
}

function pegProblems(network: SolanaNetwork, { PEGGED_TOKENS_PATH: pegged }: NetworkSettings): readonly string[] {
  if (!(pegged instanceof Map)) return [];
  const own = new Set(namedTokens(network).map(({ mint }) => mint));
  return [...NAMED_ELSEWHERE]
    .filter(([mint]) => pegged.has(mint) && !own.has(mint))
    .map(([mint, name]) => `PEGGED_TOKENS_PATH: names ${mint}, which is ${name}, not of ${network}. Remove it.`);
}

/** Names of all networks' tokens, such as `USDC of devnet`, by mint. */
const NAMED_ELSEWHERE: ReadonlyMap<string, string> = new Map(
  SOLANA_NETWORKS.toReversed().flatMap((network) =>
    namedTokens(network).map(({ mint, symbol }) => [mint, `${symbol} of ${network}`] as const),
  ),
);

function hostOf(url: unknown): string {
  return typeof url === 'string' ? new URL(url).hostname : '';
}
