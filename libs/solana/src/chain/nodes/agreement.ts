import { AppError } from '@agent-wallet/kernel';
import { isDeepStrictEqual } from 'node:util';

/* Answers of several nodes to one question. A node may lie, lag, forget or be silent: what counts, a quorum says. */

/** Returns how many nodes must say the same: of three, one faulty node decides nothing; of two, both must. */
export function quorumOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1;
}

/** Enough nodes answered, and no answer has a quorum. Found as the `cause` of the AppError. */
export class NodesDisagree extends Error {
  constructor() {
    super('the nodes disagree');
    this.name = 'NodesDisagree';
  }
}

/** Decides by answers of nodes. */
export interface Judge<Answer> {
  /** Returns the answers that decide, of those so far; undefined for no decision. `isLast` says that no more come. */
  pick(answers: readonly Answer[], isLast: boolean): readonly Answer[] | undefined;
  /** Reports whether an answer agrees with those that decided. */
  agrees(answer: Answer, decisive: readonly Answer[]): boolean;
}

/** Learns of each node, by its index, how it answered: also when it answers after the decision. */
export interface Observer<Answer> {
  answered(node: number, answer: Answer, context: Observed<Answer>): void;
  failed(node: number, error: unknown): void;
}

/** Answers beside which one is observed. */
export interface Observed<Answer> {
  /** The answers that decided; undefined when none did. */
  readonly decisive: readonly Answer[] | undefined;
  /** The answers when the decision came about, or failed to. */
  readonly all: readonly Answer[];
}

/**
 * Asks every node and returns the answers of the first decision; later answers are only observed.
 * @throws AppError the first failure when fewer than a quorum answered; UPSTREAM_ERROR with NodesDisagree
 */
export function decide<Node, Answer>(
  nodes: readonly Node[],
  ask: (node: Node) => Promise<Answer>,
  judge: Judge<Answer>,
  observer?: Observer<Answer>,
): Promise<readonly Answer[]> {
  const quorum = quorumOf(nodes.length);
  const answers = new Map<number, Answer>();
  const failures: unknown[] = [];
  let observed: Observed<Answer> | undefined;
  return new Promise((resolve, reject) => {
    const judgeNow = () => {
      const all = [...answers.values()];
      const isLast = all.length + failures.length === nodes.length;
      const decisive = all.length < quorum ? undefined : judge.pick(all, isLast);
      if (!decisive && !isLast) return;
      observed = { decisive, all };
      if (decisive) resolve(decisive);
      else reject(all.length < quorum ? (failures[0] as Error) : disagreement());
      for (const [index, answer] of answers) observer?.answered(index, answer, observed);
    };
    nodes.forEach((node, index) => {
      ask(node).then(
        (answer) => {
          if (observed) return observer?.answered(index, answer, observed);
          answers.set(index, answer);
          judgeNow();
        },
        (error: unknown) => {
          observer?.failed(index, error);
          failures.push(error);
          if (!observed) judgeNow();
        },
      );
    });
  });
}

function disagreement(): AppError {
  return new AppError('UPSTREAM_ERROR', { cause: new NodesDisagree() });
}

/** Decides for what a quorum answered alike, by the part of it that is compared. */
export function alike<Answer>(
  quorum: number,
  comparedPartOf: (answer: Answer) => unknown = (answer) => answer,
): Judge<Answer> {
  const isSame = (one: Answer, other: Answer) => isDeepStrictEqual(comparedPartOf(one), comparedPartOf(other));
  return {
    pick: (answers) =>
      answers.map((answer) => answers.filter((other) => isSame(answer, other))).find(({ length }) => length >= quorum),
    agrees: (answer, [first]) => isSame(answer, first!),
  };
}

/**
 * Decides for the highest group of a quorum of answers whose measures differ by at most `tolerance`. The lowest of each
 * measure in the group is one that an honest node has reached.
 */
export function close<Answer>(quorum: number, tolerance: number, measureOf: (answer: Answer) => number): Judge<Answer> {
  return {
    pick: (answers) => {
      const descending = [...answers].sort((one, other) => measureOf(other) - measureOf(one));
      for (let from = 0; from + quorum <= descending.length; from += 1) {
        const group = descending.slice(from, from + quorum);
        if (measureOf(group[0]!) - measureOf(group.at(-1)!) <= tolerance) return group;
      }
      return undefined;
    },
    agrees: (answer, decisive) =>
      decisive.every((other) => Math.abs(measureOf(answer) - measureOf(other)) <= tolerance),
  };
}
