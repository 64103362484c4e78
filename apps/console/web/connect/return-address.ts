const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Private-use schemes: names with a dot (RFC 8252, section 7.1), and those of well-known editors. */
const APP_SCHEME = /^(?:[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+|cursor|vscode|vscode-insiders):$/;

/**
 * Returns whether the browser may go to an app's address. A scheme outside these may run code in the page, as `javascript`
 * does.
 */
export function isReturnAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.protocol === 'http:') return LOOPBACK_HOSTS.includes(url.hostname);
  return url.protocol === 'https:' || APP_SCHEME.test(url.protocol);
}
