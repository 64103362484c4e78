import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { quotedText } from '../approval/quoted-text.js';
import { TEXTS } from '../texts.js';
import { groupsOf } from './show.js';
import { wordsOf } from './words-of.js';

/** Shows an error, with a way on. */
export function ErrorNotice({ error, retry }: { readonly error: unknown; readonly retry?: (() => void) | undefined }) {
  const { message, hint, isLoggedOut } = wordsOf(error);
  if (isLoggedOut) return <LoggedOut />;
  return (
    <div className="notice bad" role="alert">
      <strong>{TEXTS.errors.title}</strong>
      <p>{message}</p>
      {hint !== undefined && <p>{hint}</p>}
      {retry && (
        <button type="button" className="quiet" onClick={retry}>
          {TEXTS.retry}
        </button>
      )}
    </div>
  );
}

/** Says that the session has ended. */
export function LoggedOut() {
  const back = `${location.pathname}${location.search}`;
  return (
    <div className="notice" role="alert">
      <h1>{TEXTS.errors.loggedOutTitle}</h1>
      <p>{TEXTS.errors.loggedOut}</p>
      <Link className="button" href={`/login?back=${encodeURIComponent(back)}`}>
        {TEXTS.nav.logIn}
      </Link>
    </div>
  );
}

/** Stands for content that loads. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className="skeleton" role="status">
      <span className="unseen">{TEXTS.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} aria-hidden="true" />
      ))}
    </div>
  );
}

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'isError' | 'error'> & { readonly refetch: () => unknown };
  readonly children: (data: Data) => ReactNode;
  readonly lines?: number;
}

/** Shows what a query has read, or that it loads, or that it failed. */
export function Loaded<Data>({ query, children, lines = 3 }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorNotice error={query.error} retry={() => void query.refetch()} />;
  return <Skeleton lines={lines} />;
}

/** Says that there is nothing, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

/** Shows a whole address in groups of four. */
export function Address({ address }: { readonly address: string }) {
  return (
    <span className="address" translate="no">
      <span className="unseen">{address}</span>
      {groupsOf(address).map((group, index) => (
        <span key={index} aria-hidden="true">
          {group}
        </span>
      ))}
    </span>
  );
}

/** Shows a stranger's text: isolated, with hidden characters made visible, cut where it is long. */
export function Quoted({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const { shown, cut } = quotedText(text, isWhole ? Infinity : undefined);
  return (
    <span className="quoted">
      “<bdi>{shown}</bdi>”
      {cut > 0 && (
        <span className="cut">
          {TEXTS.cut(cut)}{' '}
          <button type="button" className="link" onClick={() => setWhole(true)}>
            {TEXTS.showAll}
          </button>
        </span>
      )}
    </span>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly onYes: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back easily. */
export function Confirm({ title, text, yes, onYes, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const answer = () => {
    dialog.current?.close();
    onYes();
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="confirm-title" aria-describedby="confirm-text">
      <h2 id="confirm-title">{title}</h2>
      <p id="confirm-text">{text}</p>
      <div className="actions">
        <button type="button" className="danger" onClick={answer}>
          {yes}
        </button>
        <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
          {TEXTS.cancel}
        </button>
      </div>
    </dialog>
  );
}

interface ConfirmedButtonProps extends Pick<ConfirmProps, 'title' | 'text' | 'yes'> {
  readonly label: string;
  /** Name for a reader of the screen, where several buttons have one label. */
  readonly name?: string;
  readonly kind: 'danger' | 'quiet';
  readonly action: { readonly isPending: boolean; readonly error: unknown; readonly mutate: () => void };
}

/** A button of something that is asked about before it is done, with its failure. */
export function ConfirmedButton({ label, name, kind, action, ...asked }: ConfirmedButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      {action.error !== null && <ErrorNotice error={action.error} />}
      <button
        type="button"
        className={kind}
        aria-label={name}
        disabled={action.isPending}
        onClick={() => setAsking(true)}
      >
        {label}
      </button>
      {isAsking && <Confirm {...asked} onYes={action.mutate} onClose={() => setAsking(false)} />}
    </>
  );
}

/** One term with its value. */
export function Term({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Sets the title of the document. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – ${TEXTS.name}`;
  }, [title]);
}
