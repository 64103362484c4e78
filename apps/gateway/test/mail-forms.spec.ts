import { NAMED_TOKENS, newId } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { otpMail } from '../src/adapters/otp-mail.js';
import { noticeMail } from '../src/application/notices/notice-mail.js';
import { consolePages } from '../src/domain/console-pages.js';
import type { RenderedMail } from '../src/domain/mail/render-mail.js';
import { digestMail } from '../src/domain/notices/digest-mail.js';
import type { NoticeFact, RequestedApproval } from '../src/domain/notices/notice.js';
import { AGENT_LOGIN, CLAIM_CANCELLATION, type CodeUse, EVICTION } from '../src/domain/otp.js';
import { ORIGIN, WALLET } from './notice-desk.js';
import { PAYEE } from './notice-facts.js';

const HOSTILE = `<script>alert("1")</script><img src=x> & 'a' \u202egnp.exe http://evil.example`;
const SHOWN = `<script>alert(\\"1\\")</script><img src=x> & 'a' \\u{202e}gnp.exe http:\\u{2f}/evil.example`;
const AT_MS = Date.UTC(2026, 10, 24);
const [ownerId, operationId, approvalId] = [newId(), newId(), newId()];

const REQUEST: RequestedApproval = {
  ...{ type: 'policy', ownerId, byAgent: true, expiresAt: '2026-11-25T00:00:00.000Z', note: HOSTILE },
  changes: [{ field: HOSTILE, before: HOSTILE, after: [HOSTILE] }],
  terms: [[HOSTILE, HOSTILE]],
};
const PAYMENT = {
  ...{ action: 'transfer', valueUsd: '55', reasons: ['new_recipient', HOSTILE] },
  terms: { ...{ recipient: PAYEE, mint: NAMED_TOKENS[1]!.mint, amount: '55000000', decimals: '6' }, memo: HOSTILE },
};
const ORDER = {
  ...{ action: 'prediction_buy', valueUsd: '5', reasons: [] },
  terms: { ticker: HOSTILE, count: '10', side: 'yes' },
};
const requested = (change: Partial<RequestedApproval>): NoticeFact => ({
  ...{ kind: 'approval_requested', approvalId },
  request: { ...REQUEST, ...change },
});

const FACTS: readonly NoticeFact[] = [
  ...['policy', 'claim', 'passkey', 'unfreeze', 'objection', 'recovery', 'member', 'token', HOSTILE].map((type) =>
    requested({ type }),
  ),
  requested({ type: 'operation', operationId, operation: PAYMENT }),
  requested({ type: 'operation', operationId, operation: ORDER }),
  { kind: 'policy_changed', changes: [{ field: 'allowedRecipients', before: [], after: [HOSTILE, PAYEE] }] },
  {
    kind: 'new_recipient',
    payment: { operationId, recipient: PAYEE, asset: HOSTILE, amount: 1_500_000n, decimals: 6, memo: HOSTILE },
  },
  { kind: 'large_spend', operationId, usdMicros: 150_990_000n },
  { kind: 'new_network', network: HOSTILE, isLogin: true },
  { kind: 'passkey_changed', ownerId, action: 'added', credentialId: Buffer.from('a credential') },
  { kind: 'member_changed', ownerId, action: 'invited' },
  { kind: 'claim_signed', ownerId, effectiveAtMs: AT_MS },
  { kind: 'claim_ended', ownerId, state: 'withdrawn' },
  { kind: 'token_reused' },
  { kind: 'token_opened', name: HOSTILE, scopes: ['read', HOSTILE], expiresAtMs: AT_MS },
  { kind: 'recovery_confirmed', reason: HOSTILE },
  { kind: 'frozen', byOwner: true, reason: HOSTILE },
  { kind: 'unfrozen', byOwner: false, reason: HOSTILE },
];

const PAGES = consolePages({ ownerOrigin: ORIGIN, hasOwnerConsole: true });

function noticeOf(fact: NoticeFact, isOwner: boolean, email = 'agent@example.com') {
  const notice = { eventId: newId(), subjectId: newId(), occurredAtMs: AT_MS, askedFrom: '203.0.113.0/24', fact };
  const names = {
    agent: { email, address: WALLET },
    owners: new Map([[ownerId, HOSTILE]]),
    operation: { action: 'transfer', network: undefined },
  };
  return noticeMail(notice, names, { isOwner, pages: PAGES, tokens: NAMED_TOKENS });
}

const NOTICES = FACTS.flatMap((fact) =>
  [true, false].map((isOwner) => {
    const { mail, brief } = noticeOf(fact, isOwner, HOSTILE);
    const type = fact.kind === 'approval_requested' ? ` of ${fact.request.type.slice(0, 9)}` : '';
    return { name: `${fact.kind}${type} for ${isOwner ? 'an owner' : 'the agent'}`, mail, brief };
  }),
);

const USES: readonly CodeUse[] = [
  AGENT_LOGIN,
  { purpose: 'login', ownerEmail: "o'hara&co@example.com" },
  EVICTION,
  CLAIM_CANCELLATION,
  { purpose: 'owner_login' },
  { purpose: 'claim', ownerId, ownerEmail: "o'hara&co@example.com" },
];
const ASKER = { network: '203.0.113.0/24', isKnown: false, askedAt: '2026-11-24T12:30:00.000Z' };
const codeMail = (use: CodeUse) =>
  otpMail({ to: 'agent@example.com', code: '135791', validMinutes: 10, use, asker: ASKER });

const MAILS: ReadonlyArray<readonly [name: string, mail: RenderedMail]> = [
  ...NOTICES.map(({ name, mail }) => [name, mail] as const),
  ...USES.map((use) => [`code: ${codeMail(use).subject}`, codeMail(use)] as const),
  [
    'digest',
    digestMail(
      NOTICES.map(({ brief }) => brief),
      99,
    ),
  ],
];

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const decode = (html: string) => html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name]!);
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '' && word !== '-');
const wordsOfHtml = (html: string) =>
  wordsOf(
    decode(
      html
        .slice(html.indexOf('<body'))
        .replace(/<\/?(p|h1|li|ul|tr|main)\b[^>]*>/g, ' ')
        .replace(/<[^>]*>/g, ''),
    ),
  );
const linksIn = ({ text }: RenderedMail) => [...text.matchAll(/^https:\/\/\S+$/gm)].map(([url]) => url);

describe.each(MAILS)('the mail %s', (_, mail) => {
  it('says the same in HTML as in text, with a button for the link', () => {
    const label = /<a [^>]*>(.*)<\/a>/.exec(mail.html)?.[1] ?? '';
    const text = linksIn(mail).reduce((shown, url) => shown.replace(url, label), mail.text);
    expect(wordsOfHtml(mail.html)).toEqual(wordsOf(text));
    expect(decode(/<title>(.*)<\/title>/.exec(mail.html)![1]!)).toBe(mail.subject);
  });

  it('links to what its text links to, once, and loads nothing', () => {
    const hrefs = [...mail.html.matchAll(/\bhref="([^"]*)"/g)].map(([, url]) => decode(url!));
    expect(hrefs).toEqual(linksIn(mail));
    expect(hrefs.length).toBeLessThanOrEqual(1);
    expect(mail.html).not.toMatch(/\bsrc=["h]|url\(|<(img|link|script|style|iframe|form)\b|\bon\w+="/i);
  });

  it('has only tags of the template, in a document with a language', () => {
    const names = [...mail.html.matchAll(/<\/?(\w+)/g)].map(([, name]) => name);
    const known = ['html', 'head', 'meta', 'title', 'body', 'main', 'h1', 'span', 'table', 'tr', 'th', 'td', 'bdi'];
    expect(names.filter((name) => ![...known, 'ul', 'li', 'p', 'a'].includes(name!))).toEqual([]);
    expect(mail.html).toContain('<html lang="en" dir="ltr">');
  });

  it('shows no base units, no JSON and no hidden character in either form', () => {
    for (const form of [mail.text, mail.html]) {
      expect(form).not.toMatch(/55000000|1500000|150990000|\{\s*(\\?"|&quot;)|\[object|undefined|\bnull\b/);
      expect(form.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }
  });
});

it('a mail about a request has one link: to the approval for an owner, to the cancellation for the agent', () => {
  for (const fact of FACTS.filter(({ kind }) => kind === 'approval_requested')) {
    expect(linksIn(noticeOf(fact, true).mail)).toEqual([`${ORIGIN}/approvals/${approvalId}`]);
    expect(linksIn(noticeOf(fact, false).mail)).toEqual([`${ORIGIN}/cancel-claim`]);
  }
});

describe('text that others chose in a mail', () => {
  it.each([
    [requested({ type: 'operation', operationId, operation: PAYMENT }), 'Memo of the agent'],
    [{ kind: 'token_opened', name: HOSTILE, scopes: [], expiresAtMs: AT_MS } as const, 'Name'],
  ])('is quoted in both forms: %#', (fact, name) => {
    const { mail } = noticeOf(fact, true);
    expect(mail.text).toContain(`${name}: "${SHOWN}"\n`);
    const escaped = SHOWN.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    expect(mail.html).toContain(`<bdi>&quot;${escaped.replace(/"/g, '&quot;').replace(/'/g, '&#39;')}&quot;</bdi>`);
  });
});

describe('a code', () => {
  it.each(USES)('of $purpose begins a line of the text, and has a line to itself in HTML', (use) => {
    const { text, html } = codeMail(use);
    expect(text).toMatch(/^135791 is /);
    expect(html).toMatch(/<h1[^>]*><span style="display:block;[^"]*">135791<\/span> is /);
    expect(html.match(/135791/g)).toHaveLength(1);
  });
});
