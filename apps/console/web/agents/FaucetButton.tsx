import { useMutation, useQueryClient } from '@tanstack/react-query';
import { KEYS } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { ErrorNotice } from '../parts/parts.js';
import { TEXTS } from '../texts.js';

const GIFTS = [
  { token: 'SOL', amount: 1 },
  { token: 'USDC', amount: 100 },
] as const;

/** Sends test money, where there is a sandbox. */
export function FaucetButton({ agentId, address }: { readonly agentId: string; readonly address: string }) {
  const { config } = useConsole();
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: async () => {
      for (const gift of GIFTS) await pour({ address, ...gift });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: KEYS.agent(agentId) }),
  });
  if (!config.hasFaucet) return null;
  return (
    <>
      <button type="button" className="quiet" disabled={send.isPending} onClick={() => send.mutate()}>
        {TEXTS.agent.faucet}
      </button>
      <p aria-live="polite" className="hint">
        {send.isSuccess && TEXTS.agent.faucetDone}
      </p>
      {send.isError && <ErrorNotice error={send.error} />}
    </>
  );
}

async function pour(body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/sandbox/faucet', { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new TypeError('the faucet refused');
}
