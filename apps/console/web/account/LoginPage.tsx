import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useTitle } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { MailLogin, PasskeyLogin } from './log-in.js';

/** Logs an owner in, by passkey or by a mailed code. */
export function LoginPage() {
  useTitle(TEXTS.nav.logIn);
  const [, go] = useLocation();
  const [search] = useSearchParams();
  const [needsPasskey, setNeedsPasskey] = useState(false);
  const back = pathOf(search.get('back'));
  const { title, text } = greetingOf(back, search.has('ended'));
  return (
    <section className="narrow card">
      <h1>{title}</h1>
      <p role="status">{needsPasskey ? TEXTS.login.needsPasskey : text}</p>
      <PasskeyLogin onDone={() => go(back)} />
      {needsPasskey && (
        <p>
          {TEXTS.login.lost} <Link href={back}>{TEXTS.login.goOn}</Link>
        </p>
      )}
      {!needsPasskey && (
        <>
          <h2>{TEXTS.login.or}</h2>
          <MailLogin onDone={(isRequired) => (isRequired ? setNeedsPasskey(true) : go('/welcome'))} />
          <p>
            <Link href="/welcome">{TEXTS.login.first}</Link>
          </p>
        </>
      )}
    </section>
  );
}

/** Returns what the login is for. */
function greetingOf(back: string, isEnded: boolean): { readonly title: string; readonly text: string } {
  const { login, errors } = TEXTS;
  if (/^\/approvals\/./.test(back)) return login.toDecide;
  if (back.startsWith('/connect/')) return login.toConnect;
  return isEnded ? { title: errors.loggedOutTitle, text: errors.loggedOut } : login;
}

/** Returns a path of this site; the first page for anything else. */
function pathOf(back: string | null): string {
  return back !== null && /^\/(?![/\\])/.test(back) && !back.startsWith('/login') ? back : '/';
}
