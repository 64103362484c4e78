import { type Algorithm, Authenticator, isNightly, type Lies } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { WebAuthnVerifier } from './webauthn-verifier.js';

const ORIGIN = 'https://owner.example.com';
const verifier = new WebAuthnVerifier({ origin: ORIGIN, rpId: 'owner.example.com' });
const REFUSED = { code: 'ASSERTION_INVALID' };
const ALGORITHMS: readonly Algorithm[] = ['ES256', 'EdDSA', 'RS256'];

/** An authenticator, its passkey as stored, and how it signs a challenge. */
async function registered(algorithm: Algorithm = 'ES256', countsUp = true) {
  const authenticator = new Authenticator(ORIGIN, algorithm, countsUp);
  const creation = randomBytes(32);
  const passkey = await verifier.verifyRegistration(authenticator.register(creation), creation);
  const challenge = randomBytes(32);
  const verify = (lies: Lies = {}, signCount = passkey.signCount) =>
    verifier.verifyAssertion(authenticator.assert(challenge, lies), { challenge, passkey: { ...passkey, signCount } });
  return { authenticator, passkey, challenge, verify };
}

describe.each(ALGORITHMS)('a passkey of %s', (algorithm) => {
  it('is registered, and signs what it is asked to', async () => {
    const { authenticator, passkey, verify } = await registered(algorithm);
    expect(Buffer.from(passkey.credentialId)).toEqual(authenticator.credentialId);
    expect(passkey.coseKey).toEqual(authenticator.coseKey());
    expect(await verify()).toMatchObject({ signCount: 1, credentialId: authenticator.credentialId });
  });

  it('signs nothing that differs in one bit', async () => {
    const { verify } = await registered(algorithm, false);
    const { clientData, authenticatorData, signature } = await verify();
    // At least one bit of each byte, and in turn every place in a byte.
    const step = isNightly ? 1 : 7;
    for (const [part, { length }] of Object.entries({ clientData, authenticatorData, signature })) {
      for (let bit = 0; bit < length * 8; bit += part === 'signature' && length > 100 ? 13 : step) {
        const afterSigning: Lies['afterSigning'] = (message) => {
          const bytes = message[part as keyof typeof message];
          // Each ES256 signature is another one, of 70 to 72 bytes.
          bytes[(bit >> 3) % bytes.length]! ^= 1 << (bit & 7);
        };
        await expect(verify({ afterSigning })).rejects.toMatchObject(REFUSED);
      }
    }
  });
});

describe.each(ALGORITHMS)('self-attestation with %s', (algorithm) => {
  const attest = (lies: Lies) => {
    const challenge = randomBytes(32);
    const authenticator = new Authenticator(ORIGIN, algorithm);
    return verifier.verifyRegistration(authenticator.register(challenge, lies), challenge);
  };

  it('registers the passkey', async () => {
    await expect(attest({ selfAttestation: {} })).resolves.toMatchObject({ signCount: 0 });
  });

  it.each<[string, Lies, RegExp]>([
    [
      'a wrong signature',
      { selfAttestation: {}, afterSigning: ({ signature }) => void (signature[signature.length - 1]! ^= 1) },
      /^The signature does not match the passkey/,
    ],
    [
      'the algorithm of another key',
      { selfAttestation: { algorithm: algorithm === 'RS256' ? -7 : -257 } },
      /^The attestation names another algorithm|^The signature does not|^The passkey response cannot be read/,
    ],
    ['a certificate', { selfAttestation: { certificate: randomBytes(40) } }, /^The attestation is not supported/],
    ['another order of its fields', { selfAttestation: { hasOddOrder: true } }, /^The attestation is not supported/],
    ['an unknown algorithm', { selfAttestation: { algorithm: -47 } }, /^The attestation is not supported/],
  ])('that has %s is refused by its reason', async (_, lies, message) => {
    await expect(attest(lies)).rejects.toMatchObject({ ...REFUSED, message: expect.stringMatching(message) });
  });
});

describe('a refusal says what is wrong and what to do', () => {
  it.each<[Lies, RegExp]>([
    [{ type: 'webauthn.odd' }, /another kind of request/],
    [{ challenge: randomBytes(32).toString('base64url') }, /signed another challenge. Request a new one/],
    [{ challenge: 'not+base64' }, /clientDataJSON is missing a valid challenge/],
    [{ origin: 'https://User verification.test' }, /used on another site/],
    [{ rpId: 'example.com' }, /belongs to another site/],
    [{ flags: 68 }, /did not ask for you/],
    [{ flags: 65 }, /did not verify you/],
    [{ crossOrigin: true }, /inside a frame/],
    [{ topOrigin: 'https://evil.test' }, /inside a frame/],
  ])('for %j', async (lies, message) => {
    const { verify } = await registered();
    const assertion = lies.flags === undefined ? lies : { ...lies, flags: lies.flags & 63 };
    await expect(verify(assertion)).rejects.toThrow(message);
    const challenge = randomBytes(32);
    const registration = new Authenticator(ORIGIN).register(challenge, lies);
    await expect(verifier.verifyRegistration(registration, challenge)).rejects.toThrow(message);
  });

  it('for a counter, an algorithm and a signature', async () => {
    const { verify, challenge, passkey } = await registered();
    await expect(verify({ signCount: 5 }, 6)).rejects.toThrow(/counter did not rise/);
    await expect(
      verifier.verifyAssertion(new Authenticator(ORIGIN).assert(challenge), { challenge, passkey }),
    ).rejects.toThrow(/signature does not match/);
    const odd = new Authenticator(ORIGIN).register(challenge, { coseAlgorithm: -47 });
    await expect(verifier.verifyRegistration(odd, challenge)).rejects.toThrow(/unsupported algorithm/);
  });
});

describe('an assertion', () => {
  const lies: ReadonlyArray<[string, Lies]> = [
    ['of another origin', { origin: 'https://owner.example.com.evil.test' }],
    ['of the same host without TLS', { origin: 'http://owner.example.com' }],
    ['of another port', { origin: `${ORIGIN}:8443` }],
    ['for another relying party', { rpId: 'example.com' }],
    ['of the type of a registration', { type: 'webauthn.create' }],
    ['over another challenge', { challenge: randomBytes(32).toString('base64url') }],
    ['over a challenge with padding', { challenge: randomBytes(32).toString('base64') }],
    ['without the user present', { flags: 4 }],
    ['without the user verified', { flags: 1 }],
    ['from a frame of another origin', { crossOrigin: true }],
    ['from a frame that names the page around it', { crossOrigin: true, topOrigin: 'https://evil.test' }],
    ['that names a page around it', { topOrigin: 'https://evil.test' }],
  ];

  it.each(lies)('%s is refused', async (_, lie) => {
    const { verify } = await registered();
    await expect(verify(lie)).rejects.toMatchObject(REFUSED);
  });

  it('counts up, or stays at zero', async () => {
    const { verify } = await registered();
    await expect(verify({ signCount: 7 }, 6)).resolves.toMatchObject({ signCount: 7 });
    await expect(verify({ signCount: 0 }, 0)).resolves.toMatchObject({ signCount: 0 });
    for (const [now, before] of [
      [6, 6],
      [5, 6],
      [0, 6],
    ] as const) {
      await expect(verify({ signCount: now }, before)).rejects.toMatchObject(REFUSED);
    }
  });

  it('of another passkey is refused', async () => {
    const { passkey, challenge } = await registered();
    const other = new Authenticator(ORIGIN);
    await expect(verifier.verifyAssertion(other.assert(challenge), { challenge, passkey })).rejects.toMatchObject(
      REFUSED,
    );
  });

  it('that is not JSON, too long, or not base64url is refused', async () => {
    const { authenticator, passkey, challenge } = await registered();
    const message = authenticator.assert(challenge);
    const odd = ['', 'null', '[]', '{}', `${message.slice(0, -1)},"x":"${'x'.repeat(16_384)}"}`];
    odd.push(message.replace('"signature":"', '"signature":"+/'), message.replace('public-key', 'password'));
    for (const json of odd) {
      await expect(verifier.verifyAssertion(json, { challenge, passkey })).rejects.toMatchObject(REFUSED);
    }
  });
});

describe('a registration', () => {
  const lies: ReadonlyArray<[string, Lies]> = [
    ['of another origin', { origin: 'https://evil.test' }],
    ['for another relying party', { rpId: 'evil.test' }],
    ['of the type of an assertion', { type: 'webauthn.get' }],
    ['over another challenge', { challenge: randomBytes(32).toString('base64url') }],
    ['without the user present', { flags: 68 }],
    ['without the user verified', { flags: 65 }],
    ['without a credential', { flags: 5 }],
    ['from a frame of another origin', { crossOrigin: true }],
    ['with an algorithm that is not allowed', { coseAlgorithm: -47 }],
    ['with a format of attestation that reads certificates', { format: 'packed' }],
  ];

  it.each(lies)('%s is refused', async (_, lie) => {
    const challenge = randomBytes(32);
    const message = new Authenticator(ORIGIN).register(challenge, lie);
    await expect(verifier.verifyRegistration(message, challenge)).rejects.toMatchObject(REFUSED);
  });

  it('under the id of another credential is refused', async () => {
    const challenge = randomBytes(32);
    const [one, other] = [new Authenticator(ORIGIN), new Authenticator(ORIGIN)];
    const idOf = (each: Authenticator) => each.credentialId.toString('base64url');
    const message = one.register(challenge).replaceAll(idOf(one), idOf(other));
    await expect(verifier.verifyRegistration(message, challenge)).rejects.toMatchObject(REFUSED);
  });

  it('at a parent domain serves its hosts', async () => {
    const parent = new WebAuthnVerifier({ origin: ORIGIN, rpId: 'example.com' });
    const challenge = randomBytes(32);
    const message = new Authenticator(ORIGIN).register(challenge, { rpId: 'example.com' });
    await expect(parent.verifyRegistration(message, challenge)).resolves.toBeDefined();
  });
});
