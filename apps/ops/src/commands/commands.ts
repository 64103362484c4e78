import type { Command } from './command.js';
import { createFreeze, deleteFreeze, listFreezes } from './freezes.js';
import { abandonOrder, attributeFunds, reconcileLedger, resumeOrders } from './ledger.js';
import { confirmRecovery, releaseAgent } from './owners.js';
import { getOperation, listOperations, rejectOperation, resendOperation } from './operations.js';
import { reconcile, reconcileHistory } from './reconcile.js';
import { recoveryStatus, startRecovery, unfreezeTreasury } from './recovery.js';

/** By noun and verb. */
export const COMMANDS: Readonly<Record<string, Command | undefined>> = {
  'freezes create': createFreeze,
  'freezes delete': deleteFreeze,
  'freezes list': listFreezes,
  'owners release': releaseAgent,
  'recoveries confirm': confirmRecovery,
  'operations list': listOperations,
  'operations get': getOperation,
  'operations resend': resendOperation,
  'operations reject': rejectOperation,
  'orders resume': resumeOrders,
  'orders abandon': abandonOrder,
  'funds attribute': attributeFunds,
  'ledger reconcile': reconcileLedger,
  'history reconcile': reconcileHistory,
  reconcile,
  'recovery status': recoveryStatus,
  'recovery start': startRecovery,
  'recovery unfreeze-treasury': unfreezeTreasury,
};

const OPTIONS = `  --json            prints one JSON document; amounts are decimal strings
  --operator NAME   who runs the command, for the audit log (default: your user name)
  --help            this text; with a noun or a command, only that part`;

const NOTES = `An agent is named by its ID (the token's "sub"), an operation by its transactionId. The audit log records every change with
operator and reason; the agent can read both. Without {POLICY,WALLET,SWAP,PREDICTION,HISTORY}_ADDRESS,
GATEWAY_GRPC_ADDRESS and TLS_{CA,CERT,KEY}_PATH the commands use the deployment in DATA_DIR (default .data).
Exit codes: 0 done, 1 failed or a discrepancy was found, 2 wrong command line.`;

/** @param words up to two words of a command: the help is only of commands that begin with them */
export function helpOf(words: readonly string[] = []): string {
  const start = words.join(' ');
  const all = Object.entries(COMMANDS) as Array<[string, Command]>;
  const named = all.filter(([name]) => name === start || name.startsWith(`${start} `));
  const shown = named.length === 0 ? all : named;
  const commands = shown.map(([name, { usage, help }]) => `  ${`${name} ${usage}`.trimEnd()}\n      ${help}`);
  const others =
    named.length === 0
      ? [
          '  boots get <key>\n      Shows which boot of the signer gave a signature: npm run ops -- boots --help',
          '  doctor\n      Checks a deployment and says what to do: npm run doctor -- --help',
          '  keys <command>\n      Data keys of the signer, and backups of its tables: npm run ops -- keys --help',
        ]
      : [];
  return [
    'Usage: npm run ops -- <noun> <verb> [argument] [options]',
    [...commands, ...others].join('\n'),
    OPTIONS,
    NOTES,
  ].join('\n\n');
}
