import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { dataOf } from '../api/client.js';
import { useAgentData, useOwner } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { ConfirmedButton, ErrorNotice, Loaded, Term } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import type { TabProps } from './tab.js';

const WORDS = TEXTS.owners;

/** Lists the owners of an agent, and asks for another one or for the removal of one: each needs a signature. */
export default function OwnersTab({ agentId }: TabProps) {
  const query = useAgentData('owners', agentId);
  const me = useOwner();
  return (
    <section className="narrow">
      <p>{WORDS.text}</p>
      <Loaded query={query}>
        {({ owners }) => (
          <ul className="cards">
            {owners.map(({ id, email, since }) => (
              <li key={id} className="card">
                <h2>
                  <bdi>{email ?? WORDS.unnamed}</bdi> {id === me.data?.owner.id && WORDS.you}
                </h2>
                <dl className="terms">
                  <Term name={WORDS.since}>{showTime(since)}</Term>
                </dl>
                {owners.length > 1 && <RemoveOwner agentId={agentId} ownerId={id} name={email ?? WORDS.unnamed} />}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <AddOwner agentId={agentId} />
    </section>
  );
}

function RemoveOwner({ agentId, ownerId, name }: TabProps & { readonly ownerId: string; readonly name: string }) {
  const { api } = useConsole();
  const [, go] = useLocation();
  const params = { path: { agentId, ownerId } };
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/owner/agents/{agentId}/owners/{ownerId}', { params, body: {} })),
    onSuccess: ({ approval }) => go(`/approvals/${approval.id}`),
  });
  const asked = { title: WORDS.removeTitle(name), text: WORDS.removeText, yes: WORDS.removeYes };
  return <ConfirmedButton kind="quiet" label={WORDS.remove(name)} action={remove} {...asked} />;
}

function AddOwner({ agentId }: TabProps) {
  const { api } = useConsole();
  const [, go] = useLocation();
  const [email, setEmail] = useState('');
  const add = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/owner/agents/{agentId}/owners', { params: { path: { agentId } }, body: { email } })),
    onSuccess: ({ approval }) => go(`/approvals/${approval.id}`),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <h2>{WORDS.addTitle}</h2>
      {add.isError && <ErrorNotice error={add.error} />}
      <label>
        {WORDS.email}
        <input type="email" required maxLength={253} value={email} onChange={(event) => setEmail(event.target.value)} />
      </label>
      <button type="submit" disabled={add.isPending}>
        {WORDS.add}
      </button>
      <p className="hint">{WORDS.addHint}</p>
    </form>
  );
}
