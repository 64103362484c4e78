import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { dataOf } from '../api/client.js';
import { KEYS } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { Confirm } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { rejectAll, type Rejecting } from './reject-all.js';

const WORDS = TEXTS.rejectAll;

interface RejectAllProps {
  /** The agent's address, or what else names it. */
  readonly name: string;
  readonly approvalIds: readonly string[];
}

/** Rejects all that waits of one agent, and shows what was not rejected. */
export function RejectAll({ name, approvalIds }: RejectAllProps) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [step, setStep] = useState<Rejecting>();
  const isBusy = step !== undefined && step.done < step.of;
  const reject = async () => {
    const one = (approvalId: string) =>
      dataOf(api.POST('/owner/approvals/{approvalId}/reject', { params: { path: { approvalId } }, body: {} }));
    await rejectAll(approvalIds, one, setStep);
    void queries.invalidateQueries({ queryKey: KEYS.approvals });
    void queries.invalidateQueries({ queryKey: ['agent'] });
  };
  return (
    <>
      {approvalIds.length > 0 && (
        <button type="button" className="danger" disabled={isBusy} onClick={() => setAsking(true)}>
          {WORDS.act(name)}
        </button>
      )}
      <p aria-live="polite">{step && WORDS.step(step.done - step.failed.length, step.of)}</p>
      {step && step.failed.length > 0 && (
        <div className="notice bad" role="alert">
          <strong>{WORDS.failed(step.failed.length)}</strong>
          <ul>
            {step.failed.map((id) => (
              <li key={id}>
                <Link href={`/approvals/${id}`}>{id}</Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      {isAsking && (
        <Confirm
          title={WORDS.title(approvalIds.length)}
          text={WORDS.text(name)}
          yes={WORDS.yes}
          onYes={() => void reject()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
