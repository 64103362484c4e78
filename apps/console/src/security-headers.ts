import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Returns the headers of every response: the page runs its own files only, speaks to the API only, stands in no frame,
 * and makes no markup of text.
 */
export function securityHeaders(apiUrl: string | undefined): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => void (headers[name.toLowerCase()] = value),
    removeHeader: () => undefined,
  };
  const connects = ["'self'", ...(apiUrl === undefined ? [] : [new URL(apiUrl).origin])];
  const middleware = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { ...DIRECTIVES, connectSrc: connects } },
    crossOriginEmbedderPolicy: true,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
  middleware({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  // Passkeys for this origin alone; nothing else of the machine.
  const unused = ['camera', 'geolocation', 'microphone', 'payment', 'usb'].map((name) => `${name}=()`);
  const own = ['create', 'get'].map((what) => `publickey-credentials-${what}=(self)`);
  return { ...headers, 'permissions-policy': [...unused, ...own].join(', ') };
}

const DIRECTIVES = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"],
};
