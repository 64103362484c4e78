/**
 * Returns the bytes of a permit that policy signs. They are a prefix that no other signature of the system starts with,
 * then the claims as they are sent.
 */
export function permitSigningInput(claims: Uint8Array): Uint8Array {
  return Buffer.concat([PERMIT_PREFIX, claims]);
}

// 0xff first: no Solana message starts with it (legacy messages start with a signer count below 128, v0 with 0x80).
const PERMIT_PREFIX = Buffer.concat([Buffer.from([0xff]), Buffer.from('agent-wallet/permit/v1\0')]);

/** Time for which a permit lets the signer sign, in milliseconds. */
export const PERMIT_LIFETIME_MS = 60_000;
