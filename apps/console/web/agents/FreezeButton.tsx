import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { dataOf } from '../api/client.js';
import { KEYS } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { Confirm, ErrorNotice } from '../parts/parts.js';
import { TEXTS } from '../texts.js';

const WORDS = TEXTS.agent;

interface FreezeButtonProps {
  readonly agentId: string;
  /** Whether its owner has frozen it; undefined while that is not known, when both must be possible. */
  readonly isFrozen: boolean | undefined;
}

/** Freezes an agent at once, or asks for the end of the owner's freeze. */
export function FreezeButton({ agentId, isFrozen }: FreezeButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const { freeze, unfreeze } = useFreezes(agentId);
  return (
    <div className="freeze">
      <p aria-live="polite" className="hint">
        {freeze.isSuccess && isFrozen !== false && WORDS.frozenNow}
      </p>
      {isFrozen !== false && (
        <button
          type="button"
          className={isFrozen ? undefined : 'quiet'}
          disabled={unfreeze.isPending}
          onClick={() => unfreeze.mutate()}
        >
          {WORDS.unfreeze}
        </button>
      )}
      {/* The last child keeps its position when the other button disappears, so that a click does not miss it. */}
      {isFrozen !== true && (
        <button type="button" className="danger" disabled={freeze.isPending} onClick={() => setAsking(true)}>
          {WORDS.freeze}
        </button>
      )}
      {(freeze.isError || unfreeze.isError) && <ErrorNotice error={freeze.error ?? unfreeze.error} />}
      {isAsking && (
        <Confirm
          title={WORDS.freezeTitle}
          text={WORDS.freezeText}
          yes={WORDS.freezeYes}
          onYes={() => freeze.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

function useFreezes(agentId: string) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const params = { path: { agentId } };
  const freeze = useMutation({
    mutationFn: () => dataOf(api.POST('/owner/agents/{agentId}/freeze', { params, body: {} })),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEYS.agent(agentId) }),
  });
  const unfreeze = useMutation({
    mutationFn: () => dataOf(api.POST('/owner/agents/{agentId}/unfreeze', { params, body: {} })),
    onSuccess: ({ approval }) => go(`/approvals/${approval.id}`),
  });
  return { freeze, unfreeze };
}
