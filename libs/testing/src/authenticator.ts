import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
} from 'node:crypto';

/** An authenticator in software, which can lie in each field that it signs or sends. */

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

/** Values that a ceremony uses instead of the true ones. */
export interface Lies {
  readonly type?: string;
  readonly origin?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly rpId?: string;
  /** The byte of flags: 1 user present, 4 user verified, 64 with a credential. */
  readonly flags?: number;
  readonly signCount?: number;
  readonly coseAlgorithm?: number;
  readonly format?: string;
  /** Whether the passkey attests itself, and how its statement lies. */
  readonly selfAttestation?: {
    readonly algorithm?: number;
    readonly hasOddOrder?: boolean;
    readonly certificate?: Buffer;
  };
  /** Changes the bytes after they were signed. */
  readonly afterSigning?: (message: { clientData: Buffer; authenticatorData: Buffer; signature: Buffer }) => void;
}

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const WITH_CREDENTIAL = 64;

const COSE_ALGORITHMS: Readonly<Record<Algorithm, number>> = { ES256: -7, EdDSA: -8, RS256: -257 };

export class Authenticator {
  readonly credentialId = randomBytes(32);
  signCount = 0;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;

  /** @param countsUp whether its counter rises; it stays 0 otherwise, as that of synchronized passkeys */
  constructor(
    readonly origin: string,
    readonly algorithm: Algorithm = 'ES256',
    readonly countsUp = true,
  ) {
    const pair = pairOf(algorithm);
    this.#key = pair.privateKey;
    this.#publicKey = pair.publicKey;
  }

  /** Returns a RegistrationResponseJSON for a challenge. */
  register(challenge: Uint8Array, lies: Lies = {}): string {
    const clientData = this.#clientData('webauthn.create', challenge, lies);
    const id = this.credentialId;
    const credential = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, this.coseKey(lies.coseAlgorithm)]);
    const flags = lies.flags ?? USER_PRESENT | USER_VERIFIED | WITH_CREDENTIAL;
    const authData = Buffer.concat([this.#authenticatorData({ ...lies, flags }), credential]);
    const attestationObject = cborMap([
      [text('fmt'), text(lies.format ?? (lies.selfAttestation ? 'packed' : 'none'))],
      [text('attStmt'), this.#statement(Buffer.concat([authData, sha256(clientData)]), lies)],
      [text('authData'), bytes(authData)],
    ]);
    return this.#json({ clientDataJSON: clientData, attestationObject });
  }

  /** Returns an AuthenticationResponseJSON for a challenge. */
  assert(challenge: Uint8Array, lies: Lies = {}): string {
    if (this.countsUp) this.signCount += 1;
    const clientData = this.#clientData('webauthn.get', challenge, lies);
    const authenticatorData = this.#authenticatorData(lies);
    const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
    const message = { clientData, authenticatorData, signature: this.#sign(signed) };
    lies.afterSigning?.(message);
    return this.#json({
      clientDataJSON: message.clientData,
      authenticatorData: message.authenticatorData,
      signature: message.signature,
    });
  }

  /** Its public key as COSE has it. */
  coseKey(algorithm = COSE_ALGORITHMS[this.algorithm]): Buffer {
    const { x, y, n, e } = this.#publicKey.export({ format: 'jwk' });
    const part = (value: string | undefined) => bytes(Buffer.from(value!, 'base64url'));
    const key = (type: number, fields: ReadonlyArray<readonly [number, Buffer]>) =>
      cborMap([
        [integer(1), integer(type)],
        [integer(3), integer(algorithm)],
        ...fields.map(([label, value]) => [integer(label), value] as const),
      ]);
    switch (this.algorithm) {
      case 'ES256':
        return key(2, [
          [-1, integer(1)],
          [-2, part(x)],
          [-3, part(y)],
        ]);
      case 'EdDSA':
        return key(1, [
          [-1, integer(6)],
          [-2, part(x)],
        ]);
      case 'RS256':
        return key(3, [
          [-1, part(n)],
          [-2, part(e)],
        ]);
    }
  }

  #clientData(type: string, challenge: Uint8Array, lies: Lies): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? Buffer.from(challenge).toString('base64url'),
        origin: lies.origin ?? this.origin,
        crossOrigin: lies.crossOrigin ?? false,
        topOrigin: lies.topOrigin,
      }),
    );
  }

  #authenticatorData(lies: Lies): Buffer {
    const rpId = lies.rpId ?? new URL(this.origin).hostname;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.signCount ?? this.signCount);
    const flags = Buffer.from([lies.flags ?? USER_PRESENT | USER_VERIFIED]);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), flags, counter]);
  }

  #statement(signed: Buffer, { selfAttestation, afterSigning }: Lies): Buffer {
    if (!selfAttestation) return cborMap([]);
    const signature = this.#sign(signed);
    afterSigning?.({ clientData: Buffer.alloc(0), authenticatorData: Buffer.alloc(0), signature });
    const { algorithm = COSE_ALGORITHMS[this.algorithm], hasOddOrder = false, certificate } = selfAttestation;
    const parts: Array<readonly [Buffer, Buffer]> = [
      [text('alg'), integer(algorithm)],
      [text('sig'), bytes(signature)],
    ];
    if (certificate) parts.push([text('x5c'), Buffer.concat([Buffer.from([0x81]), bytes(certificate)])]);
    return cborMap(hasOddOrder ? parts.reverse() : parts);
  }

  #sign(signed: Buffer): Buffer {
    return sign(this.algorithm === 'EdDSA' ? null : 'sha256', signed, this.#key);
  }

  #json(response: Readonly<Record<string, Buffer>>): string {
    const id = this.credentialId.toString('base64url');
    const texts = Object.entries(response).map(([name, value]) => [name, value.toString('base64url')]);
    return JSON.stringify({ id, rawId: id, type: 'public-key', response: Object.fromEntries(texts) as object });
  }
}

/** The key pair of every RS256 authenticator of a process, because to generate one takes half a second. */
let rsaPair: KeyPairKeyObjectResult | undefined;

function pairOf(algorithm: Algorithm): KeyPairKeyObjectResult {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return (rsaPair ??= generateKeyPairSync('rsa', { modulusLength: 2048 }));
}

/** Encodes a CBOR head: a major type with an argument below 65,536. */
function head(major: number, argument: number): Buffer {
  const first = major << 5;
  if (argument < 24) return Buffer.from([first | argument]);
  if (argument < 256) return Buffer.from([first | 24, argument]);
  return Buffer.concat([Buffer.from([first | 25]), uint16(argument)]);
}

const integer = (value: number) => (value >= 0 ? head(0, value) : head(1, -1 - value));
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
const text = (value: string) => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
const cborMap = (entries: ReadonlyArray<readonly [Buffer, Buffer]>) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);

const sha256 = (value: Buffer) => createHash('sha256').update(value).digest();

function uint16(value: number): Buffer {
  const encoded = Buffer.alloc(2);
  encoded.writeUInt16BE(value);
  return encoded;
}
