/** Names of this machine in addresses. */
const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns the check of a request's `Origin` (Streamable HTTP, "Security Warning"). A browser names with it the page that
 * sends, also when the page's name was made to lead here (DNS rebinding). A service on this machine serves its pages.
 * @param publicUrl address under which clients know the service
 */
export function allowedOrigins(publicUrl: string): (origin: string) => boolean {
  const own = new URL(publicUrl);
  return (origin) => {
    if (origin === own.origin) return true;
    return LOCAL_NAMES.has(own.hostname) && URL.canParse(origin) && LOCAL_NAMES.has(new URL(origin).hostname);
  };
}
