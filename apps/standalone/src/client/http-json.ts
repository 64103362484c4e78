/** An answer of the public API, or of the sandbox's admin API. */
export interface JsonResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, as far as the caller knows its shape; undefined when it is not JSON. */
  readonly body: Body;
}

const TIMEOUT_MS = 30_000;

/** Makes one HTTP call with JSON in and out. Never throws for a status. @throws TypeError when there was no answer */
export async function callJson<Body>(
  url: string,
  options: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<JsonResponse<Body>> {
  const hasBody = options.body !== undefined;
  const response = await fetch(url, {
    method: options.method ?? (hasBody ? 'POST' : 'GET'),
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...options.headers },
    ...(hasBody ? { body: JSON.stringify(options.body) } : {}),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, headers: response.headers, body: parse(await response.text()) as Body };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
