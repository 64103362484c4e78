import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import type { OwnerSettings } from '../../domain/owners/owner-settings.js';
import type { Assertion, ClaimedAssertion, PasskeyVerifier, Registration } from '../../ports/passkey-verifier.js';
import {
  bytesOf,
  challengeIn,
  credentialIdOf,
  invalid,
  readAssertionMessage,
  readRegistrationMessage,
} from './ceremonies.js';
import { hasKnownForm, isStrictSignature } from './encodings.js';
import { rejectionText } from './rejections.js';
import { isKeyOf, selfAttestationAlgorithm } from './self-attestation.js';

const WRONG_SIGNATURE = 'The signature does not match the passkey. Request a new challenge and sign again.';

/** ES256, EdDSA and RS256, by their COSE numbers. */
const ALGORITHMS = [-7, -8, -257];

/**
 * Verifies passkeys with @simplewebauthn/server, which knows the formats of authenticators. What it leaves to its caller is
 * checked here: frames of other origins, and formats of attestation that are not asked for.
 */
export class WebAuthnVerifier implements PasskeyVerifier {
  constructor(private readonly settings: Pick<OwnerSettings, 'origin' | 'rpId'>) {}

  readRegistrationChallenge(registrationJson: string): Buffer {
    return challengeIn(readRegistrationMessage(registrationJson).response.clientDataJSON);
  }

  async verifyRegistration(registrationJson: string, challenge: Buffer): Promise<Registration> {
    const message = readRegistrationMessage(registrationJson);
    challengeIn(message.response.clientDataJSON);
    const { verified, registrationInfo: info } = await orInvalid(
      verifyRegistrationResponse({
        response: { ...message, clientExtensionResults: {} },
        ...this.#expected(challenge),
        supportedAlgorithmIDs: ALGORITHMS,
      }),
    );
    if (!verified) throw invalid(WRONG_SIGNATURE);
    const credentialId = credentialIdOf(message);
    if (!bytesOf(info.credential.id).equals(credentialId)) {
      throw invalid('The registration is of another credential than its id. Send what the browser returns.');
    }
    if (!hasKnownForm(info.credential.publicKey)) {
      throw invalid('The public key of the passkey is not in canonical CBOR. Use another authenticator.');
    }
    const algorithm = selfAttestationAlgorithm(bytesOf(message.response.attestationObject));
    if (algorithm && !isKeyOf(algorithm, info.credential.publicKey)) {
      throw invalid('The attestation names another algorithm than the passkey has. Use another authenticator.');
    }
    return {
      credentialId,
      coseKey: Buffer.from(info.credential.publicKey),
      signCount: info.credential.counter,
      attestation: bytesOf(message.response.attestationObject),
      clientData: bytesOf(message.response.clientDataJSON),
    };
  }

  readAssertion(assertionJson: string): ClaimedAssertion {
    const message = readAssertionMessage(assertionJson);
    return { credentialId: credentialIdOf(message), challenge: challengeIn(message.response.clientDataJSON) };
  }

  async verifyAssertion(
    assertionJson: string,
    { challenge, passkey }: Parameters<PasskeyVerifier['verifyAssertion']>[1],
  ): Promise<Assertion> {
    const message = readAssertionMessage(assertionJson);
    const { clientDataJSON, authenticatorData, signature } = message.response;
    challengeIn(clientDataJSON);
    if (!isStrictSignature(passkey.coseKey, bytesOf(signature))) throw invalid(WRONG_SIGNATURE);
    const { verified, authenticationInfo } = await orInvalid(
      verifyAuthenticationResponse({
        response: { ...message, clientExtensionResults: {} },
        ...this.#expected(challenge),
        credential: { id: message.id, publicKey: Buffer.from(passkey.coseKey), counter: passkey.signCount },
      }),
    );
    if (!verified) throw invalid(WRONG_SIGNATURE);
    return {
      credentialId: credentialIdOf(message),
      signCount: authenticationInfo.newCounter,
      clientData: bytesOf(clientDataJSON),
      authenticatorData: bytesOf(authenticatorData),
      signature: bytesOf(signature),
    };
  }

  #expected(challenge: Buffer) {
    return {
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: this.settings.origin,
      expectedRPID: this.settings.rpId,
      requireUserVerification: true,
    };
  }
}

/** Converts every error of the library, which throws for all mismatches. */
async function orInvalid<T>(verified: Promise<T>): Promise<T> {
  try {
    return await verified;
  } catch (error) {
    throw invalid(rejectionText(error), error);
  }
}
