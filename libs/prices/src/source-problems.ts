/** Settings that choose the sources of prices. */
interface SourceSettings {
  readonly JUPITER_BASE_URL?: string | undefined;
  readonly JUPITER_API_KEY?: unknown;
  readonly PEGGED_TOKENS_PATH?: unknown;
}

/** Returns the contradictions between the settings of price sources: the aggregator's prices, or those without it. */
export function sourceProblems(env: SourceSettings): readonly string[] {
  const { JUPITER_BASE_URL: baseUrl, JUPITER_API_KEY: apiKey, PEGGED_TOKENS_PATH: pegged } = env;
  if (baseUrl === undefined) return apiKey === undefined ? [] : ['JUPITER_API_KEY: needs JUPITER_BASE_URL'];
  return pegged === undefined ? [] : ['PEGGED_TOKENS_PATH is set, and JUPITER_BASE_URL is, too. Unset one of them'];
}
