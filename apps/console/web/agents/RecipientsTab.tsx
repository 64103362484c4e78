import { nowMs } from '../app/now.js';
import type { Recipient } from '../api/records.js';
import { useAgentData } from '../api/queries.js';
import { Address, Empty, Loaded, Term } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import type { TabProps } from './tab.js';

const WORDS = TEXTS.recipients;

/** Lists whom an agent has paid. */
export function RecipientsTab({ agentId }: TabProps) {
  const recipients = useAgentData('recipients', agentId);
  return (
    <section aria-labelledby="recipients">
      <h2 id="recipients">{WORDS.title}</h2>
      <Loaded query={recipients}>
        {({ recipients: list }) =>
          list.length === 0 ? (
            <Empty title={WORDS.none} />
          ) : (
            <ul className="cards">
              {list.map((recipient) => (
                <RecipientCard key={recipient.address} {...recipient} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function RecipientCard({ address, firstPaidAt, knownAt }: Recipient) {
  const isKnown = knownAt !== null && Date.parse(knownAt) <= nowMs();
  return (
    <li className="card">
      <Address address={address} />
      <dl className="terms">
        <Term name={WORDS.first}>{firstPaidAt === null ? WORDS.unpaid : showTime(firstPaidAt)}</Term>
        <Term name={isKnown ? WORDS.known : WORDS.knownFrom}>
          {knownAt === null ? WORDS.notYet : showTime(knownAt)}
        </Term>
      </dl>
    </li>
  );
}
