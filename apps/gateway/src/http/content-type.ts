import { MIMEType } from 'node:util';

/** Names of UTF-8: the registered one, and the one that many programs send. */
const UTF_8 = ['utf-8', 'utf8'];

/** A media type of a `Content-Type` header. */
interface ContentType {
  /** `type/subtype`, in lower case; empty for a header that names none. */
  readonly essence: string;
  /** Whether the text is in UTF-8, which it is where the header names no charset. */
  readonly isUtf8: boolean;
}

/** Reads a `Content-Type` header (RFC 9110, section 8.3). Parameters other than the charset say nothing here. */
export function readContentType(header: string | undefined): ContentType {
  try {
    const { essence, params } = new MIMEType(header ?? '');
    return { essence, isUtf8: UTF_8.includes((params.get('charset') ?? 'utf-8').toLowerCase()) };
  } catch {
    return { essence: '', isUtf8: false };
  }
}
