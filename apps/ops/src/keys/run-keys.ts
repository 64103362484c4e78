import { AppError } from '@agent-wallet/kernel';
import { type Environment, SettingsError } from '@agent-wallet/platform';
import { UsageError } from '../command-line.js';
import type { Print } from '../print.js';
import { openKeyService } from '../services.js';
import { signerPlace } from '../settings.js';
import { BackupError } from './backup-error.js';
import { backUp, checkBackup, restore } from './back-up.js';
import { type KeysOrder, readKeysOrder } from './keys-order.js';
import { describeKeys, retire, rewrap } from './rewrap.js';

const KEYS_HELP = `Usage: npm run ops -- keys <command> [options]

  describe                     the data keys, what opens them, how many keys are under each, and which signers are up
  rewrap [--retire]            npm run keys:rewrap: moves every key under the newest data key while signing goes on. Where
                               all are under it, a data key is made first; where it was interrupted, it goes on.
                               --retire then removes data keys that nothing is under any more
  retire                       removes data keys that nothing is under any more, with all their seals
  backup --to FILE --recipient PUBLIC.pem
                               npm run keys:backup: writes the signer's tables, encrypted to an RSA key of 3072 bits or
                               more. Keys in it are sealed as in the database: only the vault, or a recovery key, opens them
  restore --from FILE --identity PRIVATE.pem [--check]
                               npm run keys:restore: fills the signer's tables where they were migrated and are empty, all or
                               nothing; before the first start of a signer there. --check only opens and counts

  --schema NAME   the signer's schema (default: signer)
  --help          this text

describe, rewrap and retire ask the signer at SIGNER_ADDRESS with TLS_{CA,CERT,KEY}_PATH (of the name ops), or, without it, that
of the deployment in DATA_DIR (default .data). backup and restore use DATABASE_URL: a role that may read or fill the schema.
It ends with 0 when all was done, 1 when something was not, 2 when it was not understood. All is safe to repeat.`;

/** Carries out one command line. @returns the exit code: 0 done, 1 not done, 2 not understood */
export async function runKeys(args: readonly string[], environment: Environment, print: Print): Promise<number> {
  try {
    const order = readKeysOrder(args);
    if (order.command === 'help') print(KEYS_HELP);
    else if (order.command === 'backup') await backUp(order, environment, print);
    else if (order.command === 'restore') await (order.check ? checkBackup : restore)(order, environment, print);
    else await askSigner(order.command, order, { environment, print });
    return 0;
  } catch (error) {
    print(textOf(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

const ASKED = { describe: describeKeys, rewrap, retire } as const;

async function askSigner(
  command: keyof typeof ASKED,
  order: KeysOrder,
  { environment, print }: { environment: Environment; print: Print },
): Promise<void> {
  const keys = await openKeyService(await signerPlace(environment));
  try {
    await ASKED[command](keys, print, order);
  } finally {
    keys.close();
  }
}

function textOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${KEYS_HELP}`;
  if (error instanceof AppError) {
    const details = error.details.map(({ field, reason }) => `\n  ${field} ${reason}`).join('');
    return `${error.code}: ${error.message}${details}`;
  }
  if (error instanceof SettingsError || error instanceof BackupError) return error.message;
  return `Not done, or not known: ${error instanceof Error ? error.message : String(error)}. It is safe to repeat.`;
}
