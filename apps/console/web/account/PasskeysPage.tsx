import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { dataOf } from '../api/client.js';
import { useOwner } from '../api/queries.js';
import type { Owner } from '../api/records.js';
import { useConsole } from '../app/config.js';
import { ConfirmedButton, ErrorNotice, Loaded, Term, useTitle } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { makePasskey, recoverPasskeys } from './passkey.js';

const WORDS = TEXTS.passkeys;

/** Lists the owner's passkeys, and asks for another one or for the removal of one: each needs a signature. */
export default function PasskeysPage() {
  useTitle(WORDS.title);
  const owner = useOwner();
  return (
    <section className="narrow">
      <h1>{WORDS.title}</h1>
      <p>{WORDS.text}</p>
      <Loaded query={owner}>{({ passkeys }) => <Passkeys passkeys={passkeys} />}</Loaded>
      <AddPasskey />
      {owner.data?.authenticatedBy === 'mail' && owner.data.passkeys.length > 0 && <Recover />}
    </section>
  );
}

function Passkeys({ passkeys }: Pick<Owner, 'passkeys'>) {
  const sorted = passkeys.toSorted((one, other) => one.addedAt.localeCompare(other.addedAt));
  return (
    <>
      <ul className="cards">
        {sorted.map(({ id, addedAt }, index) => (
          <li key={id} className="card">
            <h2>{WORDS.name(index + 1)}</h2>
            <dl className="terms">
              <Term name={WORDS.added}>{showTime(addedAt)}</Term>
              <Term name={WORDS.id}>
                <code>{id}</code>
              </Term>
            </dl>
            {sorted.length > 1 && <RemovePasskey passkeyId={id} name={WORDS.name(index + 1)} />}
          </li>
        ))}
      </ul>
      {sorted.length === 1 && (
        <p className="notice">
          <strong>{WORDS.second}</strong> {WORDS.last}
        </p>
      )}
    </>
  );
}

function RemovePasskey({ passkeyId, name }: { readonly passkeyId: string; readonly name: string }) {
  const { api } = useConsole();
  const [, go] = useLocation();
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/owner/passkeys/{passkeyId}', { params: { path: { passkeyId } }, body: {} })),
    onSuccess: ({ approval }) => go(`/approvals/${approval.id}`),
  });
  const asked = { title: WORDS.removeTitle(name), text: WORDS.removeText, yes: WORDS.removeYes };
  return <ConfirmedButton kind="quiet" label={WORDS.remove(name)} action={remove} {...asked} />;
}

function AddPasskey() {
  const { api } = useConsole();
  const [, go] = useLocation();
  const add = useMutation({
    mutationFn: () => makePasskey(api),
    onSuccess: (approvalId) => {
      if (approvalId !== undefined) go(`/approvals/${approvalId}`);
    },
  });
  return (
    <>
      {add.isError && <ErrorNotice error={add.error} />}
      <button type="button" disabled={add.isPending} aria-describedby="add-hint" onClick={() => add.mutate()}>
        {WORDS.add}
      </button>
      <p id="add-hint" className="hint">
        {WORDS.addHint}
      </p>
    </>
  );
}

/** Asks for the replacement of lost passkeys, which an operator confirms. */
function Recover() {
  const { api } = useConsole();
  const [, go] = useLocation();
  const recover = useMutation({
    mutationFn: () => recoverPasskeys(api),
    onSuccess: (approvalId) => go(`/approvals/${approvalId}`),
  });
  return (
    <>
      <h2>{WORDS.lost}</h2>
      <p>{WORDS.lostText}</p>
      {recover.isError && <ErrorNotice error={recover.error} />}
      <button type="button" className="quiet" disabled={recover.isPending} onClick={() => recover.mutate()}>
        {WORDS.recover}
      </button>
    </>
  );
}
