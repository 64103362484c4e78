import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** Mail servers count 254 with the brackets around an address. */
const MAX_LENGTH = 253;
const MAX_LOCAL_LENGTH = 64;

/** A dot-atom of RFC 5322, section 3.2.3. It holds no control character, so an address cannot add headers to a mail. */
const ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL_PART = new RegExp(String.raw`^${ATEXT}(?:\.${ATEXT})*$`);

/** Two labels or more, of which the last is not a number: `1.2.3.4` is an address. */
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(String.raw`^(?:${LABEL}\.)+(?!\d+$)${LABEL}$`);

/** Excludes the ASCII that `domainToASCII` decodes or cuts off, such as `%41` and `/`. */
const TYPED_DOMAIN = /^[A-Za-z0-9.\-\u0080-\u{10ffff}]+$/u;

/**
 * Returns an address as it is stored and compared: in lower case, its domain in Punycode.
 * @throws NotAnAddress naming the part that is wrong
 */
function canonicalAddress(typed: string): string {
  const at = typed.lastIndexOf('@');
  if (at < 1) throw new NotAnAddress('must be an e-mail address, such as agent@example.com');
  const local = typed.slice(0, at);
  if (local.startsWith('"')) throw new NotAnAddress('must not have quotes before the @');
  if (/[^\0-\x7f]/.test(local)) throw new NotAnAddress('must have only ASCII characters before the @');
  if (!LOCAL_PART.test(local)) {
    throw new NotAnAddress("must have only letters, digits, single dots and !#$%&'*+-/=?^_`{|}~ before the @");
  }
  if (local.length > MAX_LOCAL_LENGTH) {
    throw new NotAnAddress(`must have at most ${MAX_LOCAL_LENGTH} characters before the @`);
  }
  const address = `${local.toLowerCase()}@${canonicalDomain(typed.slice(at + 1))}`;
  if (address.length > MAX_LENGTH) throw new NotAnAddress(TOO_LONG);
  return address;
}

function canonicalDomain(typed: string): string {
  if (typed.startsWith('[')) throw new NotAnAddress('must have a domain name after the @, not an IP address');
  const domain = TYPED_DOMAIN.test(typed) ? domainToASCII(typed) : '';
  if (!DOMAIN.test(domain)) throw new NotAnAddress('must have a domain name after the @, such as example.com');
  return domain;
}

class NotAnAddress extends Error {}

const TOO_LONG = `must have at most ${MAX_LENGTH} characters`;

/** Returns a field for an e-mail address: a dot-atom of RFC 5321 at a domain, which may be in Unicode. */
export const emailField = () =>
  z
    .string('must be a string')
    .trim()
    .max(MAX_LENGTH, TOO_LONG)
    .transform((typed, context) => {
      try {
        return canonicalAddress(typed);
      } catch (error) {
        if (!(error instanceof NotAnAddress)) throw error;
        context.addIssue({ code: 'custom', message: error.message, params: { problem: 'invalid_format' } });
        return z.NEVER;
      }
    })
    .meta({
      type: 'string',
      format: 'email',
      maxLength: MAX_LENGTH,
      description: 'E-mail address. A domain in Unicode is read as its Punycode.',
    });
