import { readFileSync } from 'node:fs';

/** Take minutes, and are small files. */
const IS_SOAK = /\/tools\/soak\//;

/** Suites that start a deployment of processes, or a broker. */
const STARTS_MUCH = /\/apps\/standalone\/test\/|\/kafka-[^/]+$/;

/** Which deployment of its worker a test file shares, as it names it. */
const SHARES = /await shareDeployment\((.*)\)/;

/** Groups run in the order of their names; the files of one that share a deployment run in one worker where possible. */
export function groupOf(file) {
  if (IS_SOAK.test(file)) return '0 soaks';
  if (!STARTS_MUCH.test(file)) return '3 starts little';
  const shared = SHARES.exec(readFileSync(file, 'utf8'));
  return shared ? `1 ${shared[1]}` : '2 starts its own';
}

/** Whether the files of a group should stay in one worker, which keeps what they share. */
const isKept = (group) => group.startsWith('1');

const startsMuch = (group) => !group.startsWith('3');

/** Workers that run what starts much, while others have files that start little: more of them only wait for one another. */
const STARTING_MUCH_AT_ONCE = 3;

/** The files of a run, given to its workers one by one. */
export class Waiting {
  #tests;
  /** What each worker runs, by its number: it keeps what that group shares. */
  #groups = new Map();

  constructor(tests) {
    this.#tests = tests.map((test) => ({ test, group: groupOf(test.path) }));
  }

  /**
   * The next file for a worker: one of the group that it is in; else the first that starts little, or is within the bound on
   * those that start much; else the first that would not start what another worker has started; else the last, which splits
   * a group that would take one worker too long.
   */
  next(worker) {
    const others = [...this.#groups].filter(([other]) => other !== worker).map(([, group]) => group);
    const mine = this.#groups.get(worker);
    const mayStartMuch = others.filter(startsMuch).length < STARTING_MUCH_AT_ONCE;
    const isFree = ({ group }) => !isKept(group) || !others.includes(group);
    const found =
      this.#tests.find(({ group }) => isKept(group) && group === mine) ??
      this.#tests.find((each) => (mayStartMuch || !startsMuch(each.group)) && isFree(each)) ??
      this.#tests.find(isFree) ??
      this.#tests.at(-1);
    if (!found) {
      this.#groups.delete(worker);
      return undefined;
    }
    this.#groups.set(worker, found.group);
    this.#tests.splice(this.#tests.indexOf(found), 1);
    return found.test;
  }
}
