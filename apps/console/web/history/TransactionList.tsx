import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { Transaction } from '../api/records.js';
import { showTime } from '../parts/show.js';
import { transactionWords } from './transaction-words.js';

const ROW_PX = 64;
const OVERSCAN = 12;
const NEAR_END = 20;

interface TransactionListProps {
  readonly transactions: readonly Transaction[];
  readonly onOpen: (transaction: Transaction) => void;
  /** Called when the end comes near. */
  readonly onEnd: () => void;
}

/** Lists transactions; only those in view are in the document. */
export function TransactionList({ transactions, onOpen, onEnd }: TransactionListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: transactions.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  const items = rows.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) >= transactions.length - NEAR_END;
  useEffect(() => {
    if (isNearEnd) onEnd();
  });
  const height = rows.getTotalSize();
  return (
    <div ref={frame} className="history">
      <ul ref={(list) => list?.parentElement?.style.setProperty('--height', `${height}px`)}>
        {items.map(({ key, index, start }) => (
          <li
            key={key}
            ref={(row) => row?.style.setProperty('--start', `${start}px`)}
            aria-setsize={transactions.length}
            aria-posinset={index + 1}
          >
            <Row transaction={transactions[index]!} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface RowProps {
  readonly transaction: Transaction;
  readonly onOpen: (transaction: Transaction) => void;
}

function Row({ transaction, onOpen }: RowProps) {
  const { title, detail, value, status, tone, reason } = transactionWords(transaction);
  return (
    <button type="button" className="row" onClick={() => onOpen(transaction)}>
      <span className="line">
        <span className="cut-line">
          <strong>{title}</strong> <bdi>{detail}</bdi>
        </span>
        <span className="value">
          <bdi>{value}</bdi>
        </span>
      </span>
      <span className="line">
        <small className="cut-line">
          {showTime(transaction.createdAt)} <bdi>{reason}</bdi>
        </small>
        <span className={`tag ${tone}`}>{status}</span>
      </span>
    </button>
  );
}
