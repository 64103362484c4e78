import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { isWrongCode } from '../api/failure.js';
import { ErrorNotice } from '../parts/parts.js';
import { TEXTS } from '../texts.js';

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const CODE = /^(\d{6}){1,2}$/;

/** An address whose code was read. */
export interface ReadCode {
  readonly email: string;
  readonly otpId: string;
  readonly otpCode: string;
}

interface MailedCodeProps {
  readonly label: string;
  readonly submit: string;
  readonly sentTo: (email: string) => string;
  /** Mails the code, and returns its ID. */
  readonly start: (email: string) => Promise<string>;
  readonly complete: (code: ReadCode) => Promise<unknown>;
  readonly children?: ReactNode;
}

/** Asks for an address, mails it a code, and asks for the code. */
export function MailedCode(props: MailedCodeProps) {
  const [sent, setSent] = useState<{ email: string; otpId: string }>();
  if (!sent) return <AddressForm {...props} onSent={setSent} />;
  return <CodeForm {...props} sent={sent} onOther={() => setSent(undefined)} />;
}

interface AddressFormProps extends MailedCodeProps {
  readonly onSent: (sent: { email: string; otpId: string }) => void;
}

function AddressForm({ label, start, onSent }: AddressFormProps) {
  const [isBad, setBad] = useState(false);
  const mail = useMutation({
    mutationFn: async (email: string) => onSent({ email, otpId: await start(email) }),
  });
  const problem = isBad ? TEXTS.login.emailBad : undefined;
  return (
    <form noValidate onSubmit={(event) => setBad(!submitted(event, EMAIL, mail.mutate))}>
      <label htmlFor="email">{label}</label>
      <input
        id="email"
        name="field"
        type="email"
        autoComplete="email"
        aria-invalid={problem !== undefined}
        aria-describedby="email-hint"
      />
      <p id="email-hint" className={problem ? 'hint bad' : 'hint'} aria-live="polite">
        {problem ?? TEXTS.login.emailHint}
      </p>
      {mail.isError && <ErrorNotice error={mail.error} />}
      <button type="submit" disabled={mail.isPending}>
        {TEXTS.login.send}
      </button>
    </form>
  );
}

interface CodeFormProps extends MailedCodeProps {
  readonly sent: { readonly email: string; readonly otpId: string };
  readonly onOther: () => void;
}

function CodeForm({ sent, sentTo, submit, complete, onOther, children }: CodeFormProps) {
  const [isBad, setBad] = useState(false);
  const check = useMutation({ mutationFn: (otpCode: string) => complete({ ...sent, otpCode }) });
  const isWrong = isWrongCode(check.error);
  const problem = isBad ? TEXTS.login.codeBad : isWrong ? TEXTS.login.codeWrong : undefined;
  return (
    <form noValidate onSubmit={(event) => setBad(!submitted(event, CODE, check.mutate))}>
      <p role="status">{sentTo(sent.email)}</p>
      <label htmlFor="code">{TEXTS.login.code}</label>
      <input
        id="code"
        name="field"
        className="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        aria-invalid={problem !== undefined}
        aria-describedby="code-hint"
      />
      <p id="code-hint" className="hint bad" aria-live="polite">
        {problem}
      </p>
      {children}
      {check.isError && !isWrong && <ErrorNotice error={check.error} />}
      <div className="actions">
        <button type="submit" disabled={check.isPending}>
          {submit}
        </button>
        <button type="button" className="quiet" onClick={onOther}>
          {TEXTS.login.otherEmail}
        </button>
      </div>
    </form>
  );
}

/** Sends the text of the form's field if it is good, and returns whether it is. A bad one gets the focus. */
function submitted(event: FormEvent<HTMLFormElement>, good: RegExp, send: (text: string) => void): boolean {
  event.preventDefault();
  const input = event.currentTarget.elements.namedItem('field') as HTMLInputElement;
  const text = input.value.trim();
  if (!good.test(text)) {
    input.focus();
    return false;
  }
  send(text);
  return true;
}
