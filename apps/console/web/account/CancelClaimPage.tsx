import { useState } from 'react';
import { dataOf } from '../api/client.js';
import { useConsole } from '../app/config.js';
import { useTitle } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { MailedCode } from './MailedCode.js';

/** Cancels the claims of an agent that are not in effect yet, for who reads the agent's mail. */
export default function CancelClaimPage() {
  const { cancelClaim } = TEXTS;
  useTitle(cancelClaim.title);
  const { api } = useConsole();
  const [cancelled, setCancelled] = useState<number>();
  const start = async (agentEmail: string) =>
    (await dataOf(api.POST('/owner/claims/cancel/start', { body: { agentEmail } }))).otpId;
  return (
    <section className="narrow card">
      <h1>{cancelClaim.title}</h1>
      {cancelled === undefined ? (
        <>
          <p>{cancelClaim.text}</p>
          <MailedCode
            label={cancelClaim.email}
            submit={cancelClaim.submit}
            sentTo={TEXTS.login.sent}
            start={start}
            complete={async ({ email: agentEmail, otpId, otpCode }) => {
              const body = { agentEmail, otpId, otpCode };
              setCancelled((await dataOf(api.POST('/owner/claims/cancel', { body }))).cancelled);
            }}
          />
        </>
      ) : (
        <>
          <p className="notice good" role="status">
            {cancelled === 0 ? cancelClaim.none : cancelClaim.done}
          </p>
          <p>{cancelClaim.next}</p>
        </>
      )}
    </section>
  );
}
