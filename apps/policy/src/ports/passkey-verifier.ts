/** A passkey that was registered over a challenge. */
export interface Registration {
  readonly credentialId: Buffer;
  /** As the authenticator encoded it. */
  readonly coseKey: Buffer;
  readonly signCount: number;
  readonly attestation: Buffer;
  readonly clientData: Buffer;
}

/** Content that a passkey signed. */
export interface Assertion {
  readonly credentialId: Buffer;
  readonly signCount: number;
  readonly clientData: Buffer;
  readonly authenticatorData: Buffer;
  readonly signature: Buffer;
}

/** Claims of an assertion before it is verified. */
export interface ClaimedAssertion {
  readonly credentialId: Buffer;
  /** Challenge in its client data. */
  readonly challenge: Buffer;
}

/** Verifies what browsers send of passkeys, for the origin of this deployment. */
export interface PasskeyVerifier {
  /** @throws AppError ASSERTION_INVALID */
  readRegistrationChallenge(registrationJson: string): Buffer;
  /** @throws AppError ASSERTION_INVALID unless it registers a passkey over exactly this challenge */
  verifyRegistration(registrationJson: string, challenge: Buffer): Promise<Registration>;
  /** @throws AppError ASSERTION_INVALID */
  readAssertion(assertionJson: string): ClaimedAssertion;
  /** @throws AppError ASSERTION_INVALID unless the passkey signed exactly this challenge, with a counter that fits */
  verifyAssertion(
    assertionJson: string,
    expected: {
      readonly challenge: Buffer;
      readonly passkey: { readonly coseKey: Buffer; readonly signCount: number };
    },
  ): Promise<Assertion>;
}
