import { describe, expect, it } from '@jest/globals';
import { foldMailbox } from '../../domain/mailbox.js';
import { emailField } from './email-field.js';

const ATEXT = [..."!#$%&'*+-/=?^_`{|}~"];

const reasonFor = (typed: string) => emailField().safeParse(typed).error?.issues[0]?.message;

describe('an e-mail address', () => {
  it.each(ATEXT)('takes %s at the start, inside and at the end of the local part', (character) => {
    for (const local of [`${character}ann`, `an${character}n`, `ann${character}`, character]) {
      expect(emailField().parse(`${local}@example.com`)).toBe(`${local}@example.com`);
    }
  });

  it.each([
    ['Ann.Smith@Example.COM', 'ann.smith@example.com'],
    ['ann@example.xn--p1ai', 'ann@example.xn--p1ai'],
    ['ann@shop.xn--fiqs8s', 'ann@shop.xn--fiqs8s'],
    ['ann@xn--mgbh0fb.xn--kgbechtv', 'ann@xn--mgbh0fb.xn--kgbechtv'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['ann@BU\u0308CHER.example', 'ann@xn--bcher-kva.example'],
    ['ann@пример.рф', 'ann@xn--e1afmkfd.xn--p1ai'],
    ['ann@例え。テスト', 'ann@xn--r8jz45g.xn--zckzah'],
    ['\t ann@example.com \r\n', 'ann@example.com'],
    ['\u00a0ann@example.com\u3000', 'ann@example.com'],
    [`${'a'.repeat(64)}@3com.example`, `${'a'.repeat(64)}@3com.example`],
  ])('%j is stored as %s', (typed, stored) => {
    expect(emailField().parse(typed)).toBe(stored);
  });

  it.each([
    ['"ann smith"@example.com', 'must not have quotes before the @'],
    ['"a@b"@example.com', 'must not have quotes before the @'],
    ['ann@[192.0.2.1]', 'must have a domain name after the @, not an IP address'],
    ['ann@[IPv6:2001:db8::1]', 'must have a domain name after the @, not an IP address'],
    ['änn@example.com', 'must have only ASCII characters before the @'],
    ['\u212aim@example.com', 'must have only ASCII characters before the @'],
    [`${'a'.repeat(65)}@example.com`, 'must have at most 64 characters before the @'],
    [`ann@${'bü.'.repeat(60)}example`, 'must have at most 253 characters'],
  ])('%j is refused by a text that names the part', (typed, reason) => {
    expect(reasonFor(typed)).toBe(reason);
  });

  it.each([
    ...['ann', '@example.com', 'ann@', 'a@b@example.com', '.ann@example.com', 'ann.@example.com', 'a..n@example.com'],
    ...['a(n)n@example.com', 'a,n@example.com', 'a<n>@example.com', 'a:n@example.com', 'a\\n@example.com'],
    ...['ann@example', 'ann@1.2.3.4', 'ann@１.２.３.４', 'ann@0x7f.1', 'ann@-a.example', 'ann@a-.example'],
    ...['ann@a_b.example', 'ann@example..com', 'ann@example.com.', 'ann@ex%41mple.com', 'ann@example.com/x'],
    ...['ann@example.com:25', 'ann@xn--a.example', `ann@${'a'.repeat(64)}.example`, 'ann@exa\u2100mple.com'],
  ])('%j is refused', (typed) => {
    expect(reasonFor(typed)).toMatch(/^must have|^must be an e-mail address/);
  });

  it.each(['\r', '\n', '\r\n', '\0', '\u0085', '\u2028'])('cannot carry a line end %j to a mail server', (end) => {
    for (const typed of [`ann${end}RCPT@example.com`, `ann@example.com${end}bcc: b@example.com`, `ann@ex${end}a.com`]) {
      expect(reasonFor(typed)).toBeDefined();
    }
  });

  it('keeps its mailbox when its domain is typed in Unicode', () => {
    const mailboxes = ['ann+a@bücher.example', 'ANN+b@xn--bcher-kva.example', ' ann@BÜCHER.example'].map((typed) =>
      foldMailbox(emailField().parse(typed)),
    );
    expect(new Set(mailboxes)).toEqual(new Set(['ann@xn--bcher-kva.example']));
  });
});
