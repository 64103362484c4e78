import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { ErrorNotice } from '../parts/parts.js';
import { TEXTS } from '../texts.js';

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
  const { register, handleSubmit, formState } = useForm<{ email: string }>();
  const mail = useMutation({
    mutationFn: async ({ email }: { email: string }) => onSent({ email, otpId: await start(email) }),
  });
  const problem = formState.errors.email && TEXTS.login.emailBad;
  return (
    <form noValidate onSubmit={(event) => void handleSubmit((fields) => mail.mutate(fields))(event)}>
      <label htmlFor="email">{label}</label>
      <input
        id="email"
        type="email"
        autoComplete="email"
        aria-invalid={problem !== undefined}
        aria-describedby="email-hint"
        {...register('email', { required: true, pattern: /^\s*[^\s@]+@[^\s@]+\s*$/, setValueAs: trimmed })}
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
  const { register, handleSubmit, formState } = useForm<{ otpCode: string }>();
  const check = useMutation({ mutationFn: ({ otpCode }: { otpCode: string }) => complete({ ...sent, otpCode }) });
  const problem = formState.errors.otpCode && TEXTS.login.codeBad;
  return (
    <form noValidate onSubmit={(event) => void handleSubmit((fields) => check.mutate(fields))(event)}>
      <p role="status">{sentTo(sent.email)}</p>
      <label htmlFor="code">{TEXTS.login.code}</label>
      <input
        id="code"
        className="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        aria-invalid={problem !== undefined}
        aria-describedby="code-hint"
        {...register('otpCode', { required: true, pattern: /^\d{6}$/, setValueAs: trimmed })}
      />
      <p id="code-hint" className="hint bad" aria-live="polite">
        {problem}
      </p>
      {children}
      {check.isError && <ErrorNotice error={check.error} />}
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

function trimmed(text: string): string {
  return text.trim();
}
