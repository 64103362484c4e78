// Requests to the public API that move money, and a count of what became of them.
import { randomUUID } from 'node:crypto';
import { openHttpCaller } from './http-caller.mjs';

const CONNECTIONS = 256; // an open loop may have more under way than callers
const ERRORS_KEPT = 3;

/** What agents ask for at one gateway. */
export class ApiTraffic {
  /** What was not refused, and how much of it was answered before its outcome was known. */
  accepted = 0;
  undecided = 0;
  errors = 0;
  firstErrors = [];
  #deployment;
  #caller;

  constructor({ deployment }) {
    this.#deployment = deployment;
  }

  /** Runs some work with connections of its own: between rounds they would be closed. */
  async connected(work) {
    this.#caller = openHttpCaller(this.#deployment.url(), CONNECTIONS);
    try {
      return await work();
    } finally {
      this.#caller.close();
    }
  }

  /** One action of an agent: the answer's data, or undefined when it was refused. Never throws. */
  act(agent, action, order) {
    return this.ask(agent, `/wallets/me/actions/${action}`, order);
  }

  /** The same by the whole path. */
  async ask(agent, path, order) {
    const headers = { authorization: `Bearer ${agent.token}`, 'idempotency-key': randomUUID() };
    try {
      return this.#judge(await this.#caller.post(path, JSON.stringify(order), headers));
    } catch (error) {
      return this.#fail(String(error));
    }
  }

  #judge({ status, text }) {
    const { data } = status === 200 || status === 202 ? JSON.parse(text) : {};
    if (status !== 202 && (data?.transactionStatus ?? data?.status) !== 'confirmed')
      return this.#fail(`${status} ${text}`);
    this.accepted += 1;
    if (status === 202) this.undecided += 1;
    return data;
  }

  #fail(why) {
    this.errors += 1;
    if (this.firstErrors.length < ERRORS_KEPT) this.firstErrors.push(why);
    return undefined;
  }
}
