import { describeOperation, type NamedToken, type RequestedOperation } from '@agent-wallet/kernel';
import { quoted, word } from '../../domain/notices/quoted.js';

/** Terms that a mail shows whole, by the name that it gives them. The console shows the others. */
const SHOWN: Readonly<Record<string, string>> = {
  recipient: 'Recipient',
  lookalikeOf: 'Careful, the recipient looks like this known address',
  memo: 'Memo of the agent',
  mint: 'Token',
  inputMint: 'Gives the token',
  outputMint: 'Gets the token',
  pool: 'Pool',
  ticker: 'Market',
};

const REASONS: Readonly<Record<string, string>> = {
  above_amount: 'it is above the amount that needs your approval',
  new_recipient: 'the agent has not paid this recipient before',
};

/** Returns what an agent asks for in one line, such as `bot@example.com asks to pay 55 USDC ($55.00) to 8dPB…xRHc (new)`. */
export function operationSubject(
  operation: RequestedOperation,
  agent: string | undefined,
  tokens: readonly NamedToken[],
): string {
  return `${agent === undefined ? 'An agent' : word(agent)} asks to ${describeOperation(operation, tokens)}`;
}

/** Returns lines with the addresses, the memo and the reasons of an operation. Amounts are in its subject. */
export function operationLines({ terms, reasons }: RequestedOperation): Array<readonly [name: string, value: string]> {
  const shown = Object.entries(SHOWN).flatMap(([term, name]) => {
    const value = terms[term] ?? '';
    if (value === '' || value === 'native') return [];
    return [[name, term === 'memo' ? quoted(value) : word(value)] as const];
  });
  const why = reasons.map((reason) => REASONS[reason] ?? word(reason)).join('; ');
  return why === '' ? shown : [...shown, ['Why you are asked', why]];
}
