import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import { KEYS, useAgentData } from '../api/queries.js';
import type { Recipient } from '../api/records.js';
import { useConsole } from '../app/config.js';
import { nowMs } from '../app/now.js';
import { Address, ConfirmedButton, Empty, Loaded, Term } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { showTokens } from '../parts/tokens.js';
import { TEXTS } from '../texts.js';
import type { TabProps } from './tab.js';

const WORDS = TEXTS.recipients;

/** Lists recipients that are known, or will be, and why. */
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
                <RecipientCard key={recipient.address} agentId={agentId} recipient={recipient} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function RecipientCard({ agentId, recipient }: { readonly agentId: string; readonly recipient: Recipient }) {
  const { address, firstPaidAt, knownAt } = recipient;
  const isKnown = knownAt !== null && Date.parse(knownAt) <= nowMs();
  return (
    <li className="card">
      <Address address={address} />
      <dl className="terms">
        <Term name={WORDS.first}>{firstPaidAt === null ? WORDS.unpaid : showTime(firstPaidAt)}</Term>
        <Term name={isKnown ? WORDS.known : WORDS.knownFrom}>
          {knownAt === null ? WORDS.notYet : showTime(knownAt)}
        </Term>
        <Term name={WORDS.why}>
          <ul className="plain">
            {reasonsOf(recipient).map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </Term>
      </dl>
      <ForgetButton agentId={agentId} address={address} />
    </li>
  );
}

/** Returns why a recipient is known, or will be. */
function reasonsOf({ firstPaidAt, listedAt, trust, signedAt, dailyAmount }: Recipient): string[] {
  return [
    listedAt !== null && WORDS.whyListed(showTime(listedAt)),
    trust === 'always' && signedAt !== null && WORDS.whyAlways(showTime(signedAt)),
    dailyAmount !== null &&
      signedAt !== null &&
      WORDS.whyDaily(showTokens(dailyAmount.mint, dailyAmount.amount), showTime(signedAt)),
    firstPaidAt !== null && WORDS.whyPaid(showTime(firstPaidAt)),
  ].filter((reason) => reason !== false);
}

function ForgetButton({ agentId, address }: { readonly agentId: string; readonly address: string }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const forget = useMutation({
    mutationFn: () => {
      const params = { path: { agentId, address } };
      return dataOf(api.DELETE('/owner/agents/{agentId}/recipients/{address}', { params, body: {} }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: KEYS.agent(agentId) }),
  });
  const asked = { title: WORDS.forgetTitle, text: WORDS.forgetText, yes: WORDS.forget };
  const name = `${WORDS.forget} ${address}`;
  return <ConfirmedButton kind="quiet" label={WORDS.forget} name={name} action={forget} {...asked} />;
}
