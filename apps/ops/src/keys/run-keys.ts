import { AppError } from '@agent-wallet/kernel';
import { type Environment, SettingsError } from '@agent-wallet/platform';
import { UsageError } from '../command-line.js';
import { type Print, toJsonText } from '../print.js';
import { openKeyService } from '../services.js';
import { signerPlace } from '../settings.js';
import { BackupError } from './backup-error.js';
import { backUp, checkBackup, restore } from './back-up.js';
import { type KeysInput, readKeysInput } from './keys-input.js';
import { describeKeys, retire, rewrap } from './rewrap.js';

const HELP = `Usage: npm run ops -- keys <command> [options]

  describe
      Lists data keys, the vaults that open them, the number of keys under each, and the running signers.
  rewrap [--retire]
      Moves every key under the newest data key while signing continues (npm run keys:rewrap). It adds a data key first, unless
      an earlier run was interrupted. --retire then removes data keys that no key needs any more.
  retire
      Removes data keys that no key needs any more, with all their seals.
  backup --to FILE --recipient PUBLIC.pem
      Writes the signer's tables, encrypted to an RSA key of at least 3072 bits (npm run keys:backup). Keys stay sealed: only the
      vault, or a recovery key, opens them.
  restore --from FILE --identity PRIVATE.pem [--check]
      Fills the signer's migrated, empty tables, all or nothing (npm run keys:restore). Run it before the first start of a signer.
      --check only opens and counts.

  --schema NAME   the signer's schema (default: signer)
  --json          prints one JSON document, without progress
  --help          this text

describe, rewrap and retire call the signer at SIGNER_ADDRESS with TLS_{CA,CERT,KEY}_PATH (of the name ops). Without
SIGNER_ADDRESS they use the deployment in DATA_DIR (default .data). backup and restore use DATABASE_URL: a role that may read or
fill the schema. Exit codes: 0 done, 1 failed, 2 wrong command line. Every command is safe to repeat.`;

/** Runs one command line. @returns the exit code: 0 done, 1 failed, 2 wrong command line */
export async function runKeys(args: readonly string[], environment: Environment, print: Print): Promise<number> {
  const wantsJson = args.includes('--json');
  try {
    const input = readKeysInput(args);
    if (input.command === 'help') {
      print(HELP);
      return 0;
    }
    const result = await runCommand(input, environment, wantsJson ? () => {} : print);
    if (wantsJson) print(toJsonText(result));
    return 0;
  } catch (error) {
    print(wantsJson ? toJsonText({ error: { message: messageOf(error) } }) : textOf(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

/** @param print takes progress and results in words @returns the result for programs */
async function runCommand(input: KeysInput, environment: Environment, print: Print): Promise<object> {
  const { command } = input;
  if (command === 'backup') return backUp(input, environment, print);
  if (command === 'restore') return (input.check ? checkBackup : restore)(input, environment, print);
  return callSigner(command as keyof typeof CALLS, input, { environment, print });
}

const CALLS = { describe: describeKeys, rewrap, retire } as const;

async function callSigner(
  command: keyof typeof CALLS,
  input: KeysInput,
  { environment, print }: { environment: Environment; print: Print },
): Promise<object> {
  const keys = await openKeyService(await signerPlace(environment));
  try {
    return await CALLS[command](keys, print, input);
  } finally {
    keys.close();
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AppError) {
    const details = error.details.map(({ field, reason }) => `\n  ${field} ${reason}`).join('');
    return `${error.code}: ${error.message}${details}`;
  }
  if (error instanceof UsageError || error instanceof SettingsError || error instanceof BackupError)
    return error.message;
  const cause = error instanceof Error ? error.message : String(error);
  return `Failed, or the outcome is unknown: ${cause}. It is safe to repeat the command.`;
}

function textOf(error: unknown): string {
  return error instanceof UsageError ? `${error.message}\n\n${HELP}` : messageOf(error);
}
