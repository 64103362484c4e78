import { type Key, keyBytes, keyText } from '../../encoding/keys.js';
import type { Chain } from '../chain.js';
import { BLOCKHASH_LIFE } from '../chain-clock.js';
import { readTransaction } from '../message.js';
import type { WireTransaction } from '../wire-transaction.js';
import type { Simulation } from '../svm.js';
import { V1_BLOCKHASH_AT } from '../v1-transaction.js';
import { accountFormat, encodeAccount } from './account-encoding.js';
import { asKey, type Config } from './call.js';
import { invalidParams } from './rpc-error.js';

/** The blockhash that took the place of the transaction's own. */
interface Replacement {
  readonly hash: Key;
  readonly height: number;
}

/** The same transaction with another blockhash; its signatures are no longer good, which a simulation may ignore. */
export function withBlockhash(tx: WireTransaction, blockhash: Key): WireTransaction {
  const wire = Buffer.from(tx.wire);
  wire.set(keyBytes(blockhash), blockhashAt(tx));
  return readTransaction(wire);
}

/** The result of simulateTransaction. */
export function encodeSimulation(
  run: Simulation,
  config: Config,
  chain: Chain,
  replacement: Replacement | undefined,
): Record<string, unknown> {
  return {
    accounts: simulatedAccounts(run, config, chain),
    err: run.error,
    innerInstructions: config['innerInstructions'] === true ? run.innerInstructions : null,
    logs: run.logs,
    replacementBlockhash: replacement
      ? { blockhash: keyText(replacement.hash), lastValidBlockHeight: replacement.height + BLOCKHASH_LIFE }
      : null,
    returnData: run.returnData,
    unitsConsumed: run.unitsConsumed,
  };
}

function simulatedAccounts(run: Simulation, config: Config, chain: Chain): unknown {
  const asked = config['accounts'] as { addresses?: unknown; encoding?: unknown } | undefined | null;
  if (!asked) return null;
  if (!Array.isArray(asked.addresses)) throw invalidParams('accounts: expected addresses');
  const format = accountFormat({ encoding: asked.encoding }, 'base64');
  const keys = asked.addresses.map(asKey);
  if (run.error !== null) return keys.map(() => null);
  const find = (key: Key): ReturnType<Chain['account']> =>
    run.after.has(key) ? run.after.get(key) : chain.account(key);
  return keys.map((key) => encodeAccount(find(key), format, find));
}

/** Where the blockhash lies: behind the keys of the message. */
function blockhashAt({ wire, message }: WireTransaction): number {
  if (message.version === 1) return V1_BLOCKHASH_AT;
  const messageAt = wire.length - message.bytes.length;
  const keysAt = messageAt + (message.version === 0 ? 1 : 0) + 3 + (message.keys.length > 127 ? 2 : 1);
  return keysAt + 32 * message.keys.length;
}
