// Two processes that do the same work, either of which may die.
import { setTimeout as sleep } from 'node:timers/promises';
import { startPart } from '../../pipeline/parts.mjs';

/** Two copies of a script of tools/pipeline. */
export class Pair {
  kills = 0;
  #script;
  #task;
  #copies = [];

  constructor(script, task) {
    this.#script = script;
    this.#task = task;
  }

  async start() {
    this.#copies = await Promise.all([this.#startCopy(), this.#startCopy()]);
  }

  /** Kills one of them (SIGKILL), and starts another in its place after a while. */
  async killOne(random, longestAbsenceMs) {
    const which = random.integer(0, 1);
    await this.#copies[which].end();
    this.kills += 1;
    await sleep(random.integer(0, longestAbsenceMs));
    this.#copies[which] = await this.#startCopy();
  }

  async stop() {
    await Promise.all(this.#copies.map((copy) => copy.end()));
  }

  async #startCopy() {
    const copy = await startPart(this.#script, this.#task);
    copy.go();
    return copy;
  }
}
