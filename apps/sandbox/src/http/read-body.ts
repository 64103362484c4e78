import type { IncomingMessage } from 'node:http';

/** A body that is longer than the server takes. */
export class BodyTooLarge extends Error {
  constructor(limitBytes: number) {
    super(`the body is longer than ${limitBytes} bytes`);
    this.name = 'BodyTooLarge';
  }
}

/** Reads a request's body as text. @throws BodyTooLarge */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) reject(new BodyTooLarge(limitBytes));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()));
    request.on('error', reject);
  });
}
