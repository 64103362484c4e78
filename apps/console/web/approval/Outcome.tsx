import { Link } from 'wouter';
import { useTransaction } from '../api/queries.js';
import { ExplorerLink } from '../history/ExplorerLink.js';
import { transactionWords } from '../history/transaction-words.js';
import { TEXTS } from '../texts.js';

const WORDS = TEXTS.approval;

interface OutcomeProps {
  readonly agentId: string;
  readonly transactionId: string;
}

/** Says what became of a decided operation. */
export function Outcome({ agentId, transactionId }: OutcomeProps) {
  const { data } = useTransaction(agentId, transactionId);
  if (!data) return null;
  const { status, title, detail } = transactionWords(data.transaction);
  return (
    <section className="context" aria-labelledby="outcome-title">
      <h2 id="outcome-title">{WORDS.outcome}</h2>
      <p>
        <strong>{status}</strong> · {title} <bdi>{detail}</bdi>
      </p>
      {data.transaction.explorerUrl !== null && (
        <p>
          <ExplorerLink url={data.transaction.explorerUrl} />
        </p>
      )}
      <p>
        <Link href={`/agents/${agentId}/activity`}>{WORDS.inActivity}</Link>
      </p>
    </section>
  );
}
