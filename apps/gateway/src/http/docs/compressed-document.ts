import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { qualityOf } from '../../api/accept.js';
import { PlainResponse } from '../../api/response.js';

/** A document in the encodings in which it is served, compressed once. */
export interface CompressedDocument {
  readonly br: Buffer;
  readonly gzip: Buffer;
  readonly identity: Buffer;
  /** SHA-256 of the text, in base64url. With the name of an encoding it is a strong ETag. */
  readonly hash: string;
  /** Response headers beyond, or in place of, those of every document. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of a conditional request. */
export interface DocumentRequest {
  readonly 'accept-encoding'?: string | string[] | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/** Smallest first. */
const COMPRESSIONS = ['br', 'gzip'] as const;

/** One step better would take fifteen times as long for a tenth of the size; the first reader waits for it. */
const BROTLI_QUALITY = 9;

/** Compresses a document. */
export async function compress(text: string, headers: Record<string, string> = {}): Promise<CompressedDocument> {
  const identity = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
  };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, { params }),
    promisify(gzip)(identity, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  const hash = createHash('sha256').update(identity).digest('base64url');
  return { br, gzip: gz, identity, hash, headers };
}

/** Serves a document in the encoding that the caller likes best, or says that the caller has it already. */
export function serveDocument(document: CompressedDocument, request: DocumentRequest): PlainResponse {
  const encoding = encodingFor(String(request['accept-encoding'] ?? ''));
  const etag = `"${document.hash}-${encoding}"`;
  const headers = {
    'cache-control': 'public, max-age=300',
    ...document.headers,
    etag,
    vary: 'Accept-Encoding',
  };
  if (isCurrent(etag, request['if-none-match'])) return new PlainResponse(304, headers);
  const encoded: Record<string, string> = encoding === 'identity' ? {} : { 'content-encoding': encoding };
  return new PlainResponse(200, { ...headers, ...encoded }, document[encoding]);
}

/** Returns the compression that the caller prefers; none for a caller that names none. */
function encodingFor(accepted: string): (typeof COMPRESSIONS)[number] | 'identity' {
  const [best] = COMPRESSIONS.map((encoding) => ({ encoding, quality: qualityOf(encoding, accepted) }))
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality);
  return best?.encoding ?? 'identity';
}

function isCurrent(etag: string, ifNoneMatch: string | undefined): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
