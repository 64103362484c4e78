import { intentV1 } from '@agent-wallet/contracts';
import { addPlan, associatedTokenAddress, TOKEN_PROGRAM } from '@agent-wallet/solana';
import type { Addition, Attempt, AttemptState } from '../domain/attempt.js';

/** The columns of an attempt, with the height that policy read right after it. */
export const ATTEMPT_COLUMNS = `r.operation_id, r.step, r.attempt, r.agent_id, r.intent, r.message_hash, r.state,
  r.message, r.signature, coalesce(r.escrowed_usd_micros, r.value_usd_micros) as reserved_usd_micros,
  extract(epoch from policy.now() - r.created_at)::double precision * 1000 as age_ms,
  r.side0_usd_micros,
  (select h.height from chain_heads h where h.last_asked_at >= r.created_at order by h.last_asked_at limit 1)
    as later_height`;

/** An attempt as {@link ATTEMPT_COLUMNS} give it. */
export interface AttemptRow {
  readonly operation_id: string;
  readonly step: number;
  readonly attempt: number;
  readonly agent_id: string;
  readonly intent: Buffer;
  readonly message_hash: Buffer;
  readonly state: AttemptState;
  readonly message: Buffer | null;
  readonly signature: Buffer | null;
  readonly reserved_usd_micros: string;
  readonly age_ms: number;
  readonly later_height: string | null;
  readonly side0_usd_micros: string | null;
}

/** Reads an attempt from its row. */
export function attemptOf(row: AttemptRow): Attempt {
  const { message, signature } = row;
  const intent = intentV1.Intent.decode(row.intent);
  const { action } = intent;
  const reservedUsdMicros = BigInt(row.reserved_usd_micros);
  return {
    operationId: row.operation_id,
    step: row.step,
    attempt: row.attempt,
    agentId: row.agent_id,
    namedAddress: namedAddress(intent),
    recipient: action?.$case === 'transfer' ? action.value.recipient : undefined,
    countsWhenFinal: action?.$case === 'payout',
    addition: additionOf(action, { reservedUsdMicros, side0: row.side0_usd_micros }),
    isCosigned: action?.$case === 'swap' && action.value.cosigner !== undefined,
    messageHash: row.message_hash,
    reservedUsdMicros,
    state: row.state,
    evidence: message && signature ? { message, signature } : undefined,
    ageMs: row.age_ms,
    laterHeight: row.later_height === null ? undefined : Number(row.later_height),
  };
}

function additionOf(
  action: intentV1.Intent['action'],
  { reservedUsdMicros, side0 }: { readonly reservedUsdMicros: bigint; readonly side0: string | null },
): Addition | undefined {
  if (action?.$case !== 'liquidityAdd' || side0 === null) return undefined;
  const { pool, bounds } = addPlan(action.value);
  return {
    vaults: [pool.sides[0].vault, pool.sides[1].vault],
    maxima: bounds,
    usdMicros: [BigInt(side0), reservedUsdMicros - BigInt(side0)],
  };
}

/**
 * Returns the address that a search for the message goes by. The payouts of all agents name the treasury, which pays;
 * few name the token account of one agent.
 */
function namedAddress({ wallet, action }: intentV1.Intent): string {
  if (action?.$case !== 'payout') return wallet;
  return associatedTokenAddress({ owner: wallet, mint: action.value.mint, tokenProgram: TOKEN_PROGRAM });
}
