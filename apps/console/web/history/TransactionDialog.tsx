import { useEffect, useRef } from 'react';
import type { Transaction } from '../api/records.js';
import { quotedLines } from '../approval/quoted-text.js';
import { Address, Quoted, Term } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { ExplorerLink } from './ExplorerLink.js';
import { transactionFields } from './transaction-fields.js';
import { metadataOf, textOf, transactionWords } from './transaction-words.js';

const WORDS = TEXTS.activity;

interface TransactionDialogProps {
  readonly transaction: Transaction;
  readonly onClose: () => void;
}

/** Shows a transaction in words, and all that history knows of it one press away. */
export function TransactionDialog({ transaction, onClose }: TransactionDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    // The dialog takes the focus itself: its only button is at the end, and would be scrolled to.
    dialog.current?.setAttribute('autofocus', '');
    dialog.current?.showModal();
  }, []);
  const { status, metadata } = transaction;
  const words = transactionWords(transaction);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="transaction">
      <h2 id="transaction">{words.title}</h2>
      <p className="amount">
        <strong>
          <bdi>{words.value}</bdi>
        </strong>
        <span className={`tag ${words.tone}`}>{words.status}</span>
      </p>
      <Facts transaction={transaction} />
      <details>
        <summary>{WORDS.raw}</summary>
        <pre tabIndex={0}>{quotedLines(JSON.stringify({ id: transaction.id, status, ...metadata }, null, 2))}</pre>
      </details>
      <div className="actions">
        <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
          {TEXTS.close}
        </button>
      </div>
    </dialog>
  );
}

function Facts({ transaction }: Pick<TransactionDialogProps, 'transaction'>) {
  const { to, signature, explorerUrl, createdAt, updatedAt } = transaction;
  const { memo, ticker, from } = metadataOf(transaction);
  return (
    <dl className="terms">
      {to !== undefined && (
        <Term name={TEXTS.approval.recipient}>
          <Address address={to} />
        </Term>
      )}
      {transaction.action === 'deposit' && textOf(from) !== '' && (
        <Term name={WORDS.sender}>
          <Address address={textOf(from)} />
        </Term>
      )}
      {textOf(memo) !== '' && (
        <Term name={TEXTS.approval.memo}>
          <Quoted text={textOf(memo)} />
        </Term>
      )}
      {textOf(ticker) !== '' && (
        <Term name={TEXTS.approval.market}>
          <Quoted text={textOf(ticker)} />
        </Term>
      )}
      {transactionFields(transaction).map(([name, value]) => (
        <Term key={name} name={name}>
          <bdi>{value}</bdi>
        </Term>
      ))}
      <Term name={WORDS.recorded}>{showTime(createdAt)}</Term>
      <Term name={WORDS.changed}>{showTime(updatedAt)}</Term>
      {signature !== null && (
        <Term name={WORDS.signature}>
          <code>{signature}</code>
          {explorerUrl !== null && (
            <p>
              <ExplorerLink url={explorerUrl} />
            </p>
          )}
        </Term>
      )}
    </dl>
  );
}
