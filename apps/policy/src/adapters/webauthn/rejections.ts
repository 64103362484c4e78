/**
 * Texts for people by the library's errors, each from its beginning: what follows there may be the caller's own text.
 */
const TEXTS: ReadonlyArray<readonly [error: RegExp, text: string]> = [
  [
    /^Unexpected \w+ response type/,
    'The passkey signed another kind of request: register with `create()`, sign with `get()`.',
  ],
  [/^Unexpected \w+ response challenge/, 'The passkey signed another challenge. Request a new one and sign that.'],
  [/^Unexpected \w+ response origin/, 'The passkey was used on another site. Open the page of this wallet and retry.'],
  [/^Unexpected RP ID/, 'The passkey belongs to another site. Choose a passkey of this wallet.'],
  [
    /^User (?:presence|not present)/,
    'The authenticator did not ask for you. Confirm on the authenticator when it asks, and retry.',
  ],
  [
    /^User verification/,
    'The authenticator did not verify you. Set up its PIN, fingerprint or face, unlock it and retry.',
  ],
  [
    /^Unexpected public key alg|^Credential public key/,
    'The passkey has an unsupported algorithm. Create one with ES256, EdDSA or RS256.',
  ],
  [
    /^Response counter/,
    "The passkey's counter did not rise: the signature is a repeat, or the passkey was copied. Sign again; if that fails, remove the passkey.",
  ],
];

const MALFORMED = 'The passkey response cannot be read. Request a new challenge and send what the browser returns.';

/** Returns what to say of an error of the library, whose own text is for the log. */
export function rejectionText(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return TEXTS.find(([pattern]) => pattern.test(message))?.[1] ?? MALFORMED;
}
