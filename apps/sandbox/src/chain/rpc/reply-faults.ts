/** The call did its work, but its answer is lost: the connection is cut. */
export class ReplyLost extends Error {
  constructor() {
    super('the reply is lost on purpose');
    this.name = 'ReplyLost';
  }
}

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
