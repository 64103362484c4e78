/** A response without the envelope: a document, that a document has not changed, or the way to another one. */
export class PlainResponse {
  constructor(
    readonly statusCode: 200 | 302 | 304,
    readonly headers: Readonly<Record<string, string>>,
    readonly body?: Buffer,
  ) {}
}
