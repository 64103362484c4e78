// A reader of an owner's stream that comes back after a cut as browsers do: after the `retry` it was sent, with its place.
import { request } from 'node:http';

const FIRST_RETRY_MS = 1_000;

export class Follower {
  /** Ids of the changes that it got, in the order in which they came. */
  received = [];
  resets = 0;
  /** Attempts to come back that failed. */
  failures = 0;
  isLive = false;
  /** Times of the latest cut and of the latest beginning. */
  cutAtMs = 0;
  liveAtMs = 0;
  /** Number of the gateway that it last went to. */
  gateway;
  #retryMs = FIRST_RETRY_MS;
  #lastEventId;
  #outgoing;
  #isClosed = false;

  /** @param owner `{ token, address }` @param choose returns a gateway, `{ gateway, url }` @param onChange gets each event's id */
  constructor(owner, choose, onChange) {
    this.owner = owner;
    this.choose = choose;
    this.onChange = onChange;
  }

  /** Opens the stream; resolves once it has begun or failed. It comes back by itself until it is closed. */
  open() {
    const { token, address } = this.owner;
    const place = this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId };
    const headers = { cookie: `owner=${token}`, 'x-forwarded-for': address, ...place };
    return new Promise((resolve) => {
      const { gateway, url } = this.choose();
      this.gateway = gateway;
      const outgoing = request(`${url}/owner/events`, { headers, agent: false }, (answer) => {
        if (answer.statusCode === 200) this.#read(answer, resolve);
        else answer.resume();
        answer.on('error', () => undefined);
      });
      outgoing.on('error', () => undefined);
      outgoing.on('close', () => {
        resolve();
        this.#comeBack();
      });
      outgoing.end();
      this.#outgoing = outgoing;
    });
  }

  close() {
    this.#isClosed = true;
    this.#outgoing?.destroy();
  }

  #read(answer, begun) {
    let waiting = '';
    answer.setEncoding('utf8');
    answer.on('data', (text) => {
      const events = (waiting + text).split('\n\n');
      waiting = events.pop();
      for (const event of events) this.#take(event);
      if (this.isLive) begun();
    });
  }

  #take(text) {
    const fields = Object.fromEntries(text.split('\n').map((line) => line.split(/: (.*)/s, 2)));
    if (fields.retry !== undefined) this.#retryMs = Number(fields.retry);
    if (fields.id !== undefined) this.#lastEventId = fields.id;
    if (fields.event === 'change') {
      this.received.push(fields.id);
      this.onChange(/"eventId":"([^"]+)"/.exec(fields.data)[1]);
    } else if (fields.event !== undefined) {
      if (fields.event === 'reset') this.resets += 1;
      this.isLive = true;
      this.liveAtMs = performance.now();
    }
  }

  #comeBack() {
    if (this.#isClosed) return;
    if (this.isLive) this.cutAtMs = performance.now();
    else this.failures += 1;
    this.isLive = false;
    setTimeout(() => void this.open(), this.#retryMs);
  }
}
