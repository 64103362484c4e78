/** The call is refused by the front of the node, with an HTTP status, before anything happened. */
export class HttpRefusal extends Error {
  constructor(
    readonly status: 429 | 500,
    message: string,
  ) {
    super(message);
    this.name = 'HttpRefusal';
  }
}
