import { useState } from 'react';
import { Link } from 'wouter';
import { Failure } from '../api/failure.js';
import { useAgents, useConnection } from '../api/queries.js';
import { Loaded, useTitle } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { AppFacts } from './AppFacts.js';
import { type Answer, ConnectionDecision } from './ConnectionDecision.js';
import { isReturnAddress } from './return-address.js';

const WORDS = TEXTS.connect;

type Outcome = Answer | 'badReturn';

/** Shows an app's request for a token, and lets the owner sign what the app gets. */
export default function ConnectPage({ connectionId }: { readonly connectionId: string }) {
  useTitle(WORDS.title);
  const connection = useConnection(connectionId);
  const agents = useAgents();
  const [outcome, setOutcome] = useState<Outcome>();
  const leave = (redirectTo: string, answer: Answer) => {
    const isGood = isReturnAddress(redirectTo);
    setOutcome(isGood ? answer : 'badReturn');
    if (isGood) window.location.assign(redirectTo);
  };
  if (outcome !== undefined) return <Left outcome={outcome} />;
  if (connection.data === undefined && isOver(connection.error)) return <Over />;
  return (
    <section className="narrow">
      <h1>{WORDS.title}</h1>
      <p>{WORDS.text}</p>
      <Loaded query={connection} lines={8}>
        {({ connection: request }) => (
          <>
            <AppFacts connection={request} />
            <Loaded query={agents} lines={6}>
              {({ agents: list }) => <ConnectionDecision connection={request} agents={list} onLeave={leave} />}
            </Loaded>
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Returns whether a request cannot be decided any more; a malformed link names none. */
function isOver(error: unknown): boolean {
  return error instanceof Failure && (error.statusCode === 404 || error.statusCode === 400);
}

function Over() {
  return (
    <section className="narrow">
      <h1>{WORDS.overTitle}</h1>
      <p>{WORDS.overText}</p>
      <Link className="button" href="/">
        {TEXTS.errors.toStart}
      </Link>
    </section>
  );
}

function Left({ outcome }: { readonly outcome: Outcome }) {
  const kind = { connected: 'good', rejected: '', badReturn: 'bad' }[outcome];
  return (
    <section className="narrow">
      <h1>{WORDS.title}</h1>
      <p className={`notice ${kind}`} role="status">
        {WORDS[outcome]}
      </p>
      <Link className="button quiet" href="/">
        {TEXTS.errors.toStart}
      </Link>
    </section>
  );
}
