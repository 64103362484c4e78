/** A passkey that was registered over a challenge. */
export interface Registration {
  readonly credentialId: Uint8Array;
  /** As the authenticator encoded it. */
  readonly coseKey: Uint8Array;
  readonly signCount: number;
  readonly attestation: Uint8Array;
  readonly clientData: Uint8Array;
}

/** What a passkey signed. */
export interface Assertion {
  readonly credentialId: Uint8Array;
  readonly signCount: number;
  readonly clientData: Uint8Array;
  readonly authenticatorData: Uint8Array;
  readonly signature: Uint8Array;
}

/** What an assertion says of itself before it is verified. */
export interface ClaimedAssertion {
  readonly credentialId: Uint8Array;
  /** What its client data has as the challenge. */
  readonly challenge: Uint8Array;
}

/** Verifies what browsers send of passkeys, for the origin of this deployment. */
export interface PasskeyVerifier {
  /** @throws AppError ASSERTION_INVALID */
  readRegistrationChallenge(registrationJson: string): Uint8Array;
  /** @throws AppError ASSERTION_INVALID unless it registers a passkey over exactly this challenge */
  verifyRegistration(registrationJson: string, challenge: Uint8Array): Promise<Registration>;
  /** @throws AppError ASSERTION_INVALID */
  readAssertion(assertionJson: string): ClaimedAssertion;
  /** @throws AppError ASSERTION_INVALID unless the passkey signed exactly this challenge, with a counter that fits */
  verifyAssertion(
    assertionJson: string,
    expected: {
      readonly challenge: Uint8Array;
      readonly passkey: { readonly coseKey: Uint8Array; readonly signCount: number };
    },
  ): Promise<Assertion>;
}
