import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useOwner } from '../api/queries.js';
import type { TabProps } from '../agents/tab.js';
import { useConsole } from '../app/config.js';
import { ErrorNotice } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { describeFinding, describeNotChecked } from './describe.js';
import type { Report } from './report.js';
import { verify } from './verify-owned.js';

const WORDS = TEXTS.proof;

/** Checks the history of an agent in the browser, and says what it did not check. */
export default function VerifyPanel({ agentId }: TabProps) {
  const { api } = useConsole();
  const owner = useOwner();
  const [events, setEvents] = useState(0);
  const check = useMutation({
    mutationFn: () => {
      setEvents(0);
      return verify(api, { agentId, ownerId: owner.data!.owner.id }, setEvents);
    },
  });
  return (
    <section aria-labelledby="proof">
      <h2 id="proof">{WORDS.title}</h2>
      <p>{WORDS.text}</p>
      <button type="button" disabled={check.isPending || !owner.data} onClick={() => check.mutate()}>
        {check.isPending ? WORDS.running(events) : WORDS.start}
      </button>
      <div aria-live="polite">{check.data && <Verdict report={check.data} />}</div>
      {check.isError && <ErrorNotice error={check.error} retry={() => check.mutate()} />}
    </section>
  );
}

function Verdict({ report: { events, checked, findings, notChecked } }: { readonly report: Report }) {
  return (
    <>
      <p className={findings.length === 0 ? 'notice good' : 'notice bad'}>
        {findings.length === 0 ? WORDS.good : WORDS.bad(findings.length)}
      </p>
      <ul>
        {findings.map((finding, index) => (
          <li key={index}>{describeFinding(finding)}</li>
        ))}
      </ul>
      <h3>{WORDS.checkedTitle}</h3>
      <ul>
        <li>{WORDS.chain(checked.chain, events)}</li>
        <li>{WORDS.checkpoint(checked.checkpoint, events)}</li>
        <li>{WORDS.signatures(checked.signatures)}</li>
      </ul>
      <h3>{WORDS.notCheckedTitle}</h3>
      <ul>
        {notChecked.map((code) => (
          <li key={code}>{describeNotChecked(code)}</li>
        ))}
      </ul>
    </>
  );
}
