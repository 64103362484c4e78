/** The call did its work, but its answer is lost: the connection is cut. */
export class ReplyLost extends Error {
  constructor() {
    super('the reply is lost on purpose');
    this.name = 'ReplyLost';
  }
}
