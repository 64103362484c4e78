import { useEffect, useRef } from 'react';
import type { Transaction } from '../api/records.js';
import { Address, Quoted, Term } from '../parts/parts.js';
import { showAmount, showTime, showWord } from '../parts/show.js';
import { TEXTS } from '../texts.js';

const WORDS = TEXTS.activity;

interface TransactionDialogProps {
  readonly transaction: Transaction;
  readonly onClose: () => void;
}

/** Shows all that history knows of a transaction. */
export function TransactionDialog({ transaction, onClose }: TransactionDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    // The dialog takes the focus itself: its only button is at the end, and would be scrolled to.
    dialog.current?.setAttribute('autofocus', '');
    dialog.current?.showModal();
  }, []);
  const { action, amount, asset, status, to, signature, createdAt, updatedAt, metadata } = transaction;
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="transaction">
      <h2 id="transaction">{showWord(action)}</h2>
      <dl className="terms">
        <Term name={TEXTS.agent.amount}>
          {amount === null ? '–' : showAmount(amount)} <bdi>{asset}</bdi>
        </Term>
        <Term name={WORDS.status}>{showWord(status)}</Term>
        {to !== undefined && (
          <Term name={TEXTS.approval.recipient}>
            <Address address={to} />
          </Term>
        )}
        {signature !== null && (
          <Term name={WORDS.explorer}>
            <code>{signature}</code>
          </Term>
        )}
        <Term name={WORDS.recorded}>{showTime(createdAt)}</Term>
        <Term name={WORDS.changed}>{showTime(updatedAt)}</Term>
        {Object.entries(metadata)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <Term key={name} name={showWord(wordsIn(name))}>
              {typeof value === 'string' ? <Quoted text={value} /> : <code>{JSON.stringify(value)}</code>}
            </Term>
          ))}
      </dl>
      <div className="actions">
        <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
          {TEXTS.close}
        </button>
      </div>
    </dialog>
  );
}

/** Splits `networkFeeLamports` in words. */
function wordsIn(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, (_all, before: string, after: string) => `${before} ${after.toLowerCase()}`);
}
