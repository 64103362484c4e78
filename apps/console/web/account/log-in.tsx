import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import { useConsole } from '../app/config.js';
import { ErrorNotice } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { MailedCode } from './MailedCode.js';
import { logInByPasskey } from './passkey.js';

/** Logs in with the passkey. */
export function PasskeyLogin({ onDone }: { readonly onDone: () => void }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const logIn = useMutation({
    mutationFn: () => logInByPasskey(api),
    onSuccess: () => {
      void queries.resetQueries();
      onDone();
    },
  });
  return (
    <>
      {logIn.isError && <ErrorNotice error={logIn.error} />}
      <button type="button" className="wide" disabled={logIn.isPending} onClick={() => logIn.mutate()}>
        {TEXTS.login.passkey}
      </button>
    </>
  );
}

/** Logs in by a mailed code. Calls back whether a passkey must follow. */
export function MailLogin({ onDone }: { readonly onDone: (isPasskeyRequired: boolean) => void }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  return (
    <MailedCode
      label={TEXTS.login.email}
      submit={TEXTS.login.confirm}
      sentTo={TEXTS.login.sent}
      start={async (email) => (await dataOf(api.POST('/owner/login/start', { body: { email } }))).otpId}
      complete={async ({ email, otpId, otpCode }) => {
        const body = { email, otpId, otpCode };
        const { passkeyRequired } = await dataOf(api.POST('/owner/login/complete', { body }));
        void queries.resetQueries();
        onDone(passkeyRequired);
      }}
    />
  );
}
