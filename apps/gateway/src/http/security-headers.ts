import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Helmet's options. Nothing that is served here is a page. */
const HELMET = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
};

/** Headers that helmet makes of these settings: the same for every response, so it is called once. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = headersOf(helmet(HELMET));

/** The headers that matter without a page, for answers that helmet does not see. A test compares them with helmet's. */
export const BARE_SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

function headersOf(middleware: ReturnType<typeof helmet>): Record<string, string> {
  const headers: Record<string, string> = {};
  const answer = {
    setHeader: (name: string, value: string) => void (headers[name.toLowerCase()] = value),
    removeHeader: () => undefined,
  };
  middleware({} as IncomingMessage, answer as unknown as ServerResponse, (error) => {
    if (error) throw new Error('helmet failed', { cause: error });
  });
  return headers;
}
