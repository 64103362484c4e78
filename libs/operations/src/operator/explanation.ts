import type { Outcome } from '../message/land.js';
import { isDecided, isSigned, type OperationRecord } from '../records/operation.js';

const NOTHING_LEFT = 'Nothing is left to do.';
const RUNNING = 'A replica of the service carries it out; when that stops, another takes over within seconds.';

/** An operation in words, for the people who run the service. */
export interface Explanation {
  /** State reported by the chain, or by another upstream that carries it out. */
  readonly externalState: string;
  /** The next step towards the outcome. */
  readonly nextStep: string;
}

/** Explanation of an operation that a recovery holds back. */
export const HELD: Explanation = {
  externalState:
    'The database was restored: it is unknown whether the operation was carried out before. ops recovery status lists what was found on chain.',
  nextStep:
    'It is left alone while the service recovers, and while its agent is frozen because of it. After an unfreeze it goes on.',
};

/** Explains an operation whose request or plan this version cannot read. */
export function explainUnreadable({ message }: Error): Explanation {
  return {
    externalState: `Not checked: this version of the service cannot read its plan (${message}).`,
    nextStep:
      'It is parked and tried again every minute. The version that wrote the plan, or a newer one, carries it on.',
  };
}

/** Puts an operation into words whose handler has none. */
export function explainSaga(operation: OperationRecord): Explanation {
  return { externalState: 'No upstream is involved.', nextStep: isDecided(operation) ? NOTHING_LEFT : RUNNING };
}

/** The chain's report about a signed operation. */
export interface Look {
  readonly outcome: Outcome;
  /** The finalized block of that moment. */
  readonly head: { readonly blockHeight: number };
}

/** Puts an operation into words. */
export function explain(operation: OperationRecord, look: Look | undefined): Explanation {
  return { externalState: chainText(operation, look), nextStep: nextText(operation, look) };
}

function chainText({ attempt }: OperationRecord, look: Look | undefined): string {
  if (!attempt) return 'No message was built, so nothing of it is on the chain.';
  if (!look) return 'Its message was built and never signed, so nothing of it is on the chain.';
  const { outcome, head } = look;
  switch (outcome.kind) {
    case 'landed': {
      const how = outcome.error === null ? 'without an error' : `with the error ${outcome.error}`;
      return `It landed in slot ${outcome.slot} ${how}; the block is ${outcome.commitment}.`;
    }
    case 'expired':
      return `It never landed and never will: block ${head.blockHeight} is finalized and the chain has no such transaction.`;
    case 'open':
      return `It is not found. It can land up to block height ${attempt.lastValidBlockHeight}; finalized is ${head.blockHeight}.`;
  }
}

function nextText(operation: OperationRecord, look: Look | undefined): string {
  const { attempt } = operation;
  if (isDecided(operation)) {
    if (!attempt || (attempt.finalized && attempt.settled)) return NOTHING_LEFT;
    if (!attempt.finalized) return 'Its outcome is known; it is polled until the block is finalized.';
    return 'Its outcome is known; the service retries until policy has settled the reservation.';
  }
  if (!isSigned(attempt)) return RUNNING;
  if (look?.outcome.kind === 'open') {
    return 'The same bytes are sent again every two seconds, until it lands or is proven never to.';
  }
  return 'A replica of the service records this outcome at its next poll.';
}
