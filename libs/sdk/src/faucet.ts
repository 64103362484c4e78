import type { components } from './generated/api.js';
import { exactNumber, writeBody } from './amounts.js';
import { FaucetError } from './errors.js';
import type { TransportOptions } from './transport.js';
import { noAnswer } from './unreachable.js';

/** Test money of the sandbox. */
export interface FaucetOrder {
  /** `SOL`, a symbol, or a mint. */
  readonly token: string;
  /** Decimal text in the token's standard unit: `'1.5'`. */
  readonly amount: string;
}

/** The faucet's transaction, which is confirmed. */
export interface Poured {
  readonly signature: string;
}

/** Returns the faucet of a service. @throws FaucetError outside the sandbox, and where it has no address */
export function faucetOf({ network, faucet }: components['schemas']['Service']): string {
  if (faucet) return faucet;
  throw new FaucetError(
    network === 'sandbox'
      ? 'The service names no faucet. Ask its operator to set SANDBOX_ADMIN_URL.'
      : `A faucet exists only in the sandbox, and the service is on ${network}. Send money to the wallet's address.`,
  );
}

/**
 * Has a faucet pay a wallet. The session token stays here: the faucet needs none.
 * @throws FaucetError, NoAnswerError
 */
export async function pour(
  faucet: string,
  address: string,
  { token, amount }: FaucetOrder,
  { fetch: send = fetch, timeoutMs = 40_000 }: TransportOptions,
): Promise<Poured> {
  const body = writeBody({ address, token, amount: exactNumber(amount, 'amount').text });
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(faucet, { method: 'POST', headers, body, signal, redirect: 'manual' });
    const answer = (await response.json()) as Partial<Poured> & { readonly error?: string };
    if (response.ok && answer.signature !== undefined) return { signature: answer.signature };
    throw new FaucetError(`The faucet refused: ${answer.error ?? `HTTP ${response.status}`}`);
  } catch (error) {
    throw error instanceof FaucetError ? error : noAnswer('POST /faucet', faucet, error);
  }
}
