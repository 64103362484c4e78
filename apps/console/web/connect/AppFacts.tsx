import type { Connection } from '../api/records.js';
import { escapeHidden } from '../approval/quoted-text.js';
import { Quoted, Term } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';

const WORDS = TEXTS.connect;

/** Shows which app asks, and who gets the token. */
export function AppFacts({ connection }: { readonly connection: Connection }) {
  const { clientName, clientHost, receiver, redirectsToThisMachine, scopes, expiresAt } = connection;
  return (
    <>
      <dl className="terms">
        <Term name={WORDS.app}>
          <Quoted text={clientName} />
          <br />
          <small>{WORDS.unverified}</small>
        </Term>
        <Term name={WORDS.site}>
          {clientHost === null ? WORDS.registered : <code>{escapeHidden(clientHost)}</code>}
        </Term>
        <Term name={WORDS.receiver}>
          <strong>
            <code>{escapeHidden(receiver)}</code>
          </strong>
          {!redirectsToThisMachine && (
            <>
              <br />
              <small>{WORDS.receiverHint}</small>
            </>
          )}
        </Term>
        <Term name={WORDS.asksTo}>{scopes.map((scope) => TEXTS.tokens.scope[scope]).join(', ')}</Term>
        <Term name={WORDS.until}>{showTime(expiresAt)}</Term>
      </dl>
      {redirectsToThisMachine && <p className="notice">{WORDS.thisMachine}</p>}
    </>
  );
}
