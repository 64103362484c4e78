import { isIP } from 'node:net';

/** Where owners sign. */
export interface OwnerSettings {
  /** Origin of the console, as browsers send it. */
  readonly origin: string;
  /** The relying party of passkeys: the origin's host, or a parent domain. */
  readonly rpId: string;
}

/** Why an origin cannot be the console's; undefined when it can. */
export function originProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || url.origin !== text) return 'must be an origin without a path, such as https://owner.example.com';
  if (isIP(url.hostname.replaceAll(/^\[|\]$/g, '')) !== 0) return 'must have a host name: passkeys need a domain';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && url.hostname === 'localhost')) return undefined;
  return 'must start with https://, or be http://localhost';
}

/** Why a relying party cannot serve an origin; undefined when it can. */
export function rpIdProblem(rpId: string, origin: string): string | undefined {
  const host = new URL(origin).hostname;
  if (rpId === host || (rpId.includes('.') && host.endsWith(`.${rpId}`))) return undefined;
  return 'must be the host of OWNER_ORIGIN or a parent domain of it';
}
