import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useRef, useSyncExternalStore } from 'react';
import { Link, Redirect, useLocation, useSearch } from 'wouter';
import { dataOf } from '../api/client.js';
import { useApprovals, useOwner } from '../api/queries.js';
import { isWithoutSession } from '../api/failure.js';
import { Skeleton } from '../parts/parts.js';
import { wordsOf } from '../parts/words-of.js';
import { TEXTS } from '../texts.js';
import { Boundary } from './Boundary.js';
import { useConsole } from './config.js';
import { useChanges } from './events.js';

/** Pages that need no login. */
const WITHOUT_LOGIN: ReadonlySet<string> = new Set(['/login', '/welcome', '/cancel-claim']);

/** Frames every page. */
export function Layout({ children }: { readonly children: ReactNode }) {
  const { config } = useConsole();
  const main = useRef<HTMLElement>(null);
  const [location] = useLocation();
  const shownBefore = useRef(location);
  useEffect(() => {
    // A new page takes the focus, so that a screen reader begins there. Tabs of one agent keep theirs.
    if (pageOf(shownBefore.current) !== pageOf(location)) main.current?.focus();
    shownBefore.current = location;
  }, [location]);
  const isOpen = !WITHOUT_LOGIN.has(location);
  return (
    <>
      <a className="skip" href="#main">
        {TEXTS.skip}
      </a>
      <header>
        <div className="top">
          <Link className="brand" href="/">
            <img src="/icon.svg" alt="" width="28" height="28" />
            {TEXTS.name}
          </Link>
          {isOpen && <Menu />}
        </div>
        {config.network === 'sandbox' && <p className="sandbox">{TEXTS.sandbox}</p>}
      </header>
      <Waiting />
      <main id="main" ref={main} tabIndex={-1}>
        <Boundary key={pageOf(location)}>
          <Suspense fallback={<Skeleton lines={6} />}>
            {isOpen ? <OwnersOnly>{children}</OwnersOnly> : children}
          </Suspense>
        </Boundary>
      </main>
    </>
  );
}

/** Says that reads wait for the rate limit. */
function Waiting() {
  const { reads } = useConsole();
  const isWaiting = useSyncExternalStore(reads.subscribe, reads.isWaiting);
  return (
    <p className="waiting" role="status">
      {isWaiting && TEXTS.waiting}
    </p>
  );
}

/** Shows a page to an owner who is logged in; by mail, with what that session is good for. */
function OwnersOnly({ children }: { readonly children: ReactNode }) {
  const owner = useOwner();
  const [location] = useLocation();
  const search = useSearch();
  if (owner.isError && wordsOf(owner.error).isLoggedOut) {
    const back = encodeURIComponent(search === '' ? location : `${location}?${search}`);
    const ended = isWithoutSession(owner.error) ? '' : '&ended';
    return <Redirect replace to={`/login?back=${back}${ended}`} />;
  }
  if (owner.data?.authenticatedBy !== 'mail') return children;
  if (owner.data.passkeys.length === 0) return <Redirect to="/welcome" />;
  return (
    <>
      <p className="notice" role="status">
        {TEXTS.login.byMail} <Link href={`/login?back=${encodeURIComponent(location)}`}>{TEXTS.login.passkey}</Link>
      </p>
      {children}
    </>
  );
}

function pageOf(location: string): string {
  return location.split('/').slice(0, 3).join('/');
}

function Menu() {
  const owner = useOwner();
  return (owner.data?.passkeys.length ?? 0) > 0 ? <OwnersMenu /> : null;
}

function OwnersMenu() {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [location, go] = useLocation();
  const pending = useApprovals('pending').data?.approvals.length ?? 0;
  const stopChanges = useChanges();
  const logOut = async () => {
    stopChanges();
    await queries.cancelQueries();
    await dataOf(api.POST('/owner/logout', { body: {} })).catch(() => undefined);
    queries.clear();
    go('/login');
  };
  const current = (of: boolean) => (of ? 'page' : undefined);
  const isAgents = location === '/' || location.startsWith('/agents');
  const isApprovals = location.startsWith('/approvals');
  const isPasskeys = location.startsWith('/passkeys');
  const isSessions = location.startsWith('/sessions');
  return (
    <nav aria-label={TEXTS.nav.label}>
      <Link href="/" aria-current={current(isAgents)}>
        {TEXTS.nav.agents}
      </Link>
      <Link href="/approvals" aria-current={current(isApprovals)}>
        {TEXTS.nav.approvals}
        {pending > 0 && (
          <span className="count">
            <span className="unseen">{TEXTS.agents.waits(pending)}</span>
            <span aria-hidden="true">{pending}</span>
          </span>
        )}
      </Link>
      <Link href="/passkeys" aria-current={current(isPasskeys)}>
        {TEXTS.nav.passkeys}
      </Link>
      <Link href="/sessions" aria-current={current(isSessions)}>
        {TEXTS.nav.sessions}
      </Link>
      <button type="button" className="link" onClick={() => void logOut()}>
        {TEXTS.nav.logOut}
      </button>
    </nav>
  );
}
