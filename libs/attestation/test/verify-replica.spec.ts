import { toBase58 } from '@agent-wallet/contracts/audit';
import { describe, expect, it } from '@jest/globals';
import {
  AttestationPolicyError,
  AttestationRefused,
  type AttestedReplica,
  readAttestationPolicy,
  readStatement,
  refusalOf,
  verifyReplica,
  verifyReplicas,
} from '../src/index.js';
import { answer, BUILD, flipped, idOf, newKey, NONCE, PERMIT_KEYS, quote, tokenEvidence } from './quoting.js';

const key = newKey();
const PCRS = { 7: '07'.repeat(32), 11: '0b'.repeat(32) };
const TPM = { attestationKeys: [idOf(key.publicKey)], pcrs: { 'sha256:7': [PCRS[7]], 'sha256:11': [PCRS[11]] } };
const policyOf = (policy: object) => readAttestationPolicy(JSON.stringify(policy));
const policy = policyOf({ tpm2: TPM });
const tpm =
  (change: object = {}) =>
  (binding: Uint8Array) =>
    quote(binding, { key, pcrs: PCRS, ...change });
const good = answer({ driver: 'tpm2', evidence: tpm() });
const software = answer({
  driver: 'software',
  evidence: (binding) => ({ format: 'software/v1', keyId: 'none', document: binding }),
});

/** The check that a replica fails at; undefined when it is accepted. */
function failure(replica: AttestedReplica, accepted = policy, nonce: Uint8Array = NONCE): string | undefined {
  try {
    verifyReplica(replica, { nonce, nowMs: 0, policy: accepted });
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(AttestationRefused);
    return (error as AttestationRefused).check;
  }
}

describe("a TPM's quote", () => {
  it('is accepted, and says what the replica said', () => {
    const { driver, ephemeralKey } = verifyReplica(good, { nonce: NONCE, nowMs: 0, policy });
    expect({ driver, ephemeralKey: Buffer.from(ephemeralKey) }).toEqual({
      driver: 'tpm2',
      ephemeralKey: good.ephemeralKey,
    });
  });

  it('is refused with any byte of it, of the statement or of what is said beside it flipped', () => {
    const parts = ['statement', 'boundNonce', 'buildDigest', 'ephemeralKey'] as const;
    const accepted = [
      ...[...flipped(good.evidence.document)].map(([at, document]) => [
        `document ${at}`,
        { ...good, evidence: { ...good.evidence, document } },
      ]),
      ...parts.flatMap((part) =>
        [...flipped(good[part])].map(([at, bytes]) => [`${part} ${at}`, { ...good, [part]: bytes }]),
      ),
    ].filter(([, replica]) => failure(replica as AttestedReplica) === undefined);
    expect(accepted).toEqual([]);
  });

  it.each<[string, AttestedReplica, string]>([
    ['another nonce', answer({ driver: 'tpm2', nonce: Buffer.alloc(32), evidence: tpm() }), 'wrong_binding'],
    ['the quote of another nonce', { ...good, evidence: tpm()(Buffer.alloc(32)) }, 'wrong_binding'],
    ['another boot with the evidence of this one', { ...good, ephemeralKey: Buffer.alloc(32, 9) }, 'wrong_binding'],
    [
      'another boot with a statement of its own and the evidence of this one',
      { ...answer({ driver: 'tpm2', ephemeralKey: Buffer.alloc(32, 9), evidence: tpm() }), evidence: good.evidence },
      'wrong_binding',
    ],
    [
      'another measurement',
      answer({ driver: 'tpm2', evidence: tpm({ pcrs: { ...PCRS, 7: 'ff'.repeat(32) } }) }),
      'wrong_measurement',
    ],
    [
      'another measurement under the values that are accepted',
      answer({ driver: 'tpm2', evidence: tpm({ pcrs: { ...PCRS, 7: 'ff'.repeat(32) }, shown: PCRS }) }),
      'wrong_measurement',
    ],
    ['fewer registers', answer({ driver: 'tpm2', evidence: tpm({ pcrs: { 7: PCRS[7] } }) }), 'wrong_measurement'],
    ['another key', answer({ driver: 'tpm2', evidence: tpm({ key: newKey() }) }), 'unknown_key'],
    ['something that no TPM made', answer({ driver: 'tpm2', evidence: tpm({ magic: 0xff544348 }) }), 'malformed'],
    ['something that is not a quote', answer({ driver: 'tpm2', evidence: tpm({ type: 0x8017 }) }), 'malformed'],
    [
      'a format that is not known',
      { ...good, evidence: { ...good.evidence, format: 'tpm3-quote/v1' } },
      'unknown_format',
    ],
    ['the evidence of a file', { ...good, evidence: software.evidence }, 'unknown_format'],
  ])('is refused for %s', (_, replica, check) => {
    expect(failure(replica)).toBe(check);
  });

  it('is refused with the key of another, signed by its own', () => {
    const other = newKey();
    const { attest, pcrs, ak } = JSON.parse(Buffer.from(good.evidence.document).toString());
    const forged = JSON.parse(Buffer.from(tpm({ key: other })(good.boundNonce).document).toString());
    const document = Buffer.from(JSON.stringify({ attest, signature: forged.signature, pcrs, ak }));
    expect(failure({ ...good, evidence: { ...good.evidence, document } })).toBe('wrong_signature');
  });

  it('is refused where it is cut short anywhere, or goes on', () => {
    const document = JSON.parse(Buffer.from(good.evidence.document).toString());
    const bytes = Buffer.from(document.attest, 'base64');
    for (const attest of [
      ...Array.from(bytes, (_, at) => bytes.subarray(0, at)),
      Buffer.concat([bytes, Buffer.alloc(1)]),
    ]) {
      const changed = Buffer.from(JSON.stringify({ ...document, attest: attest.toString('base64') }));
      expect(failure({ ...good, evidence: { ...good.evidence, document: changed } })).toBeDefined();
    }
  });
});

describe("a token's evidence", () => {
  const replica = answer({ driver: 'pkcs11', evidence: (binding) => tokenEvidence(binding, key) });
  const accepting = policyOf({ pkcs11: { keys: [idOf(key.publicKey)] } });

  it('is accepted of a key that is known, for this binding alone', () => {
    expect(failure(replica, accepting)).toBeUndefined();
    expect(failure(replica, policyOf({ pkcs11: { keys: ['00'.repeat(32)] } }))).toBe('unknown_key');
    const replayed = { ...replica, evidence: tokenEvidence(Buffer.alloc(32), key) };
    expect(failure(replayed, accepting)).toBe('wrong_signature');
  });

  it('is refused with any byte of its key or signature flipped', () => {
    const text = Buffer.from(replica.evidence.document).toString();
    const signed = text.indexOf(',"token"');
    const accepted = [...flipped(replica.evidence.document)]
      .filter(([at]) => at < signed)
      .filter(([, document]) => !failure({ ...replica, evidence: { ...replica.evidence, document } }, accepting));
    expect(accepted).toEqual([]);
  });
});

describe('what a policy accepts', () => {
  it('is software only where it says so', () => {
    expect(failure(software)).toBe('driver_not_accepted');
    expect(failure(software, policyOf({ software: true }))).toBeUndefined();
    expect(failure(good, policyOf({ software: true }))).toBe('driver_not_accepted');
    const other = { ...software, evidence: { ...software.evidence, document: Buffer.alloc(32) } };
    expect(failure(other, policyOf({ software: true }))).toBe('wrong_binding');
  });

  it('never includes a driver that cannot be verified', () => {
    const coco = answer({ driver: 'coco', evidence: software.evidence.document ? () => software.evidence : tpm() });
    expect(failure(coco, policyOf({ software: true }))).toBe('driver_not_accepted');
    const odd = answer({ driver: 'toString', evidence: () => software.evidence });
    expect(failure(odd, policyOf({ software: true }))).toBe('driver_not_accepted');
  });

  it('may be some programs and some permit keys', () => {
    const digest = BUILD.toString('hex');
    expect(failure(good, policyOf({ tpm2: TPM, buildDigests: [digest] }))).toBeUndefined();
    expect(failure(good, policyOf({ tpm2: TPM, buildDigests: ['00'.repeat(32)] }))).toBe('wrong_build');
    const keys = Object.fromEntries(PERMIT_KEYS.map(({ keyId, publicKey }) => [keyId, toBase58(publicKey)]));
    expect(failure(good, policyOf({ tpm2: TPM, permitKeys: keys }))).toBeUndefined();
    const { 'permit-1': first } = keys;
    expect(failure(good, policyOf({ tpm2: TPM, permitKeys: { 'permit-1': first } }))).toBe('unknown_permit_key');
    expect(failure({ ...good, permitKeys: PERMIT_KEYS.slice(1) })).toBe('unknown_permit_key');
  });

  it.each([
    '{',
    '[]',
    '{"tpm2":{"attestationKeys":[],"pcrs":{"sha256:7":["00"]}}}',
    `{"tpm2":{"attestationKeys":["${'00'.repeat(32)}"],"pcrs":{}}}`,
    '{"software":false}',
    '{"sofware":true}',
    '{"replicas":0}',
    '{"permitKeys":{"a":"0"}}',
  ])('cannot be said so: %s', (text) => {
    expect(() => readAttestationPolicy(text)).toThrow(AttestationPolicyError);
  });
});

describe('several replicas', () => {
  const second = answer({ driver: 'tpm2', ephemeralKey: Buffer.alloc(32, 0xe2), evidence: tpm() });
  const verify = (replicas: AttestedReplica[], { unanswered = 0, wanted = 1 } = {}) =>
    verifyReplicas(
      { replicas, unanswered },
      { nonce: NONCE, nowMs: 0, policy: policyOf({ tpm2: TPM, replicas: wanted }) },
    );

  it('are all verified', () => {
    expect(verify([good, second], { wanted: 2 })).toMatchObject({ isAccepted: true, missing: undefined });
    const verdict = verify([good, software]);
    expect(verdict.isAccepted).toBe(false);
    expect(refusalOf(verdict)?.check).toBe('driver_not_accepted');
  });

  it('are not accepted when one gave no answer, is left out, or is listed twice', () => {
    for (const verdict of [
      verify([good], { unanswered: 1 }),
      verify([good], { wanted: 2 }),
      verify([good, good], { wanted: 2 }),
      verify([]),
    ]) {
      expect(verdict.isAccepted).toBe(false);
      expect(refusalOf(verdict)?.check).toBe('replica_missing');
    }
  });
});

describe('a statement', () => {
  it('is read in its one form only', () => {
    for (const bytes of [
      Buffer.alloc(0),
      good.statement.slice(0, -1),
      Buffer.concat([good.statement, Buffer.alloc(2)]),
    ]) {
      expect(() => readStatement(bytes)).toThrow(AttestationRefused);
    }
    expect(Buffer.from(readStatement(good.statement).nonce)).toEqual(NONCE);
  });
});
