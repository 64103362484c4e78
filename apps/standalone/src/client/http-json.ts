/** An answer of the public API, or of the sandbox's admin API. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined when it is no JSON. */
  readonly body: any;
}

/** One HTTP call with JSON in and out. Never throws for a status. @throws TypeError when there was no answer */
export async function callJson(
  url: string,
  options: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<JsonAnswer> {
  const hasBody = options.body !== undefined;
  const response = await fetch(url, {
    method: options.method ?? (hasBody ? 'POST' : 'GET'),
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...options.headers },
    ...(hasBody ? { body: JSON.stringify(options.body) } : {}),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
