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

/** A decision from answers. */
export interface Decided<Result> {
  readonly result: Result;
}

/** Decides from the answers so far. `isLast` says that no more come. */
export type Judge<Answer, Result> = (answers: readonly Answer[], isLast: boolean) => Decided<Result> | undefined;

/**
 * Asks every node and returns the first decision; later answers are ignored.
 * @throws AppError the first failure when fewer than a quorum answered; UPSTREAM_ERROR with NodesDisagree
 */
export function decide<Node, Answer, Result>(
  nodes: readonly Node[],
  ask: (node: Node) => Promise<Answer>,
  judge: Judge<Answer, Result>,
): Promise<Result> {
  const quorum = quorumOf(nodes.length);
  const answers: Answer[] = [];
  const failures: unknown[] = [];
  return new Promise((resolve, reject) => {
    const judgeNow = () => {
      const isLast = answers.length + failures.length === nodes.length;
      const decided = answers.length < quorum ? undefined : judge(answers, isLast);
      if (decided) resolve(decided.result);
      else if (isLast) reject(answers.length < quorum ? (failures[0] as Error) : disagreement());
    };
    for (const node of nodes) {
      ask(node).then(
        (answer) => {
          answers.push(answer);
          judgeNow();
        },
        (error: unknown) => {
          failures.push(error);
          judgeNow();
        },
      );
    }
  });
}

function disagreement(): AppError {
  return new AppError('UPSTREAM_ERROR', { cause: new NodesDisagree() });
}

/** Decides for what a quorum answered alike, by the part of it that is compared. */
export function alike<Answer>(
  quorum: number,
  comparedPartOf: (answer: Answer) => unknown = (answer) => answer,
): Judge<Answer, readonly Answer[]> {
  return (answers) => {
    for (const answer of answers) {
      const part = comparedPartOf(answer);
      const same = answers.filter((other) => isDeepStrictEqual(comparedPartOf(other), part));
      if (same.length >= quorum) return { result: same };
    }
    return undefined;
  };
}

/**
 * Decides for the highest group of a quorum of answers whose measures differ by at most `tolerance`. The lowest of each
 * measure in the group is one that an honest node has reached.
 */
export function close<Answer>(
  quorum: number,
  tolerance: number,
  measureOf: (answer: Answer) => number,
): Judge<Answer, readonly Answer[]> {
  return (answers) => {
    const descending = [...answers].sort((one, other) => measureOf(other) - measureOf(one));
    for (let from = 0; from + quorum <= descending.length; from += 1) {
      const group = descending.slice(from, from + quorum);
      if (measureOf(group[0]!) - measureOf(group.at(-1)!) <= tolerance) return { result: group };
    }
    return undefined;
  };
}
