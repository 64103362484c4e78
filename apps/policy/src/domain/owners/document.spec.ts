import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { type ApprovalRequest, approvalDocument, canonicalJson, challengeOf } from './document.js';
import { loginDocument, loginExpiry } from './login-document.js';

const REQUEST: ApprovalRequest = {
  id: '0199a000-0000-7000-8000-000000000001',
  kind: 'policy',
  origin: 'https://owner.example.com',
  agentId: '0199a000-0000-7000-8000-000000000002',
  ownerId: '0199a000-0000-7000-8000-000000000003',
  terms: {
    proposer: 'agent',
    changes: {
      dailyLimitInUsd: { before: '500', after: '600' },
      allowedRecipients: { before: [], after: ['a', 'b'] },
    },
    note: 'Größer "bitte"\n',
  },
  policyVersion: 7n,
  threshold: 1,
  askedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  expiresAtMs: Date.UTC(2026, 0, 3, 3, 4, 5, 6),
  nonce: 'n'.repeat(43),
};
const KEY = Buffer.alloc(32, 7);
const text = (document: Uint8Array) => Buffer.from(document).toString();

describe('a document', () => {
  it('has every field of the request, in the order of RFC 8785', () => {
    expect(text(approvalDocument(REQUEST))).toBe(
      '{"agent":"0199a000-0000-7000-8000-000000000002","askedAt":"2026-01-02T03:04:05.006Z",' +
        '"expiresAt":"2026-01-03T03:04:05.006Z","id":"0199a000-0000-7000-8000-000000000001","kind":"policy",' +
        `"nonce":"${REQUEST.nonce}","origin":"https://owner.example.com",` +
        '"owner":"0199a000-0000-7000-8000-000000000003","policyVersion":"7","terms":{"changes":{' +
        '"allowedRecipients":{"after":["a","b"],"before":[]},"dailyLimitInUsd":{"after":"600","before":"500"}},' +
        '"note":"Größer \\"bitte\\"\\n","proposer":"agent"},"threshold":"1","type":"agent-wallet.approval.v1"}',
    );
  });

  it('names the session that asked, as far as it is known', () => {
    const of = (session: ApprovalRequest['session']) =>
      (JSON.parse(text(approvalDocument({ ...REQUEST, session }))) as { readonly session?: object }).session;
    const loggedInAtMs = Date.UTC(2026, 0, 2);
    const loggedInAt = '2026-01-02T00:00:00.000Z';
    expect(of({ loggedInAtMs, network: '10.1.2.0/24' })).toEqual({ loggedInAt, network: '10.1.2.0/24' });
    expect(of({ loggedInAtMs, network: undefined })).toEqual({ loggedInAt });
    expect(of(undefined)).toBeUndefined();
  });

  it('leaves out what does not apply', () => {
    const passkey = { action: 'add', credentialId: 'id', coseKey: 'key' } as const;
    const document = approvalDocument({
      ...REQUEST,
      kind: 'passkey',
      terms: passkey,
      agentId: undefined,
      policyVersion: undefined,
    });
    expect(JSON.parse(text(document))).not.toHaveProperty('agent');
    expect(JSON.parse(text(document))).not.toHaveProperty('policyVersion');
  });

  it('is signed by its SHA-256', () => {
    const document = approvalDocument(REQUEST);
    expect(challengeOf(document)).toEqual(createHash('sha256').update(document).digest());
  });

  it('of a login differs in its type from every approval', () => {
    expect(JSON.parse(text(loginDocument(REQUEST, KEY)))).toMatchObject({ type: 'agent-wallet.login.v1' });
  });
});

describe('the document of a login', () => {
  const document = loginDocument(REQUEST, KEY);

  it('is known by its code, with the time when it expires', () => {
    expect(loginExpiry(document, REQUEST.origin, KEY)).toBe(REQUEST.expiresAtMs);
  });

  it('is not known with another byte, key or origin', () => {
    for (let at = 0; at < document.length; at += 1) {
      const changed = Buffer.from(document);
      changed[at]! ^= 1;
      expect(loginExpiry(changed, REQUEST.origin, KEY)).toBeUndefined();
    }
    expect(loginExpiry(document, REQUEST.origin, Buffer.alloc(32, 8))).toBeUndefined();
    expect(loginExpiry(document, 'https://evil.example', KEY)).toBeUndefined();
    for (const odd of ['', 'null', '[]', '{}', ` ${text(document)}`, '{"nonce":"\\ud800","expiresAt":"x"}']) {
      expect(loginExpiry(Buffer.from(odd), REQUEST.origin, KEY)).toBeUndefined();
    }
  });
});

describe('canonical JSON', () => {
  it('orders names by UTF-16 code units and escapes as RFC 8785 says', () => {
    expect(text(canonicalJson({ '\u20ac': 'a', '\r': 'b', '\ud83d\ude00': 'c', '1': 'd', '\ufb33': 'e' }))).toBe(
      '{"\\r":"b","1":"d","\u20ac":"a","\ud83d\ude00":"c","\ufb33":"e"}',
    );
    expect(text(canonicalJson(['\u000f\b"\\\u007f\u2028']))).toBe('["\\u000f\\b\\"\\\\\u007f\u2028"]');
  });

  it('rejects a lone surrogate', () => {
    expect(() => canonicalJson(['\ud800'])).toThrow(TypeError);
    expect(() => canonicalJson({ '\udc00': 'a' })).toThrow(TypeError);
  });

  it('is the same for every order of names, and reads back as what it was made of', () => {
    const texts = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.dictionary(texts, fc.oneof(texts, fc.array(texts))), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toEqual(canonicalJson(value));
        expect({ ...(JSON.parse(text(canonicalJson(value))) as object) }).toEqual({ ...value });
      }),
    );
  });
});
