import { startAuthentication, type AuthenticationResponseJSON } from '@simplewebauthn/browser';

const TIMEOUT_MS = 120_000;

/**
 * Asks for the passkey's signature over a document. The challenge is the hash of exactly the bytes that the page has
 * decoded and shown: it never comes from a server.
 */
export async function signDocument(document: string): Promise<AuthenticationResponseJSON> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(document));
  return startAuthentication({
    optionsJSON: {
      challenge: base64url(new Uint8Array(digest)),
      rpId: location.hostname,
      userVerification: 'required',
      timeout: TIMEOUT_MS,
    },
  });
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
