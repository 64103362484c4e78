import { parseArgs } from 'node:util';
import { UsageError } from '../command-line.js';

const COMMANDS = ['describe', 'rewrap', 'retire', 'backup', 'restore'] as const;

/** The arguments of a command of keys. */
export interface KeysInput {
  readonly command: (typeof COMMANDS)[number] | 'help';
  /** Whether to remove data keys that no key needs any more. */
  readonly retire: boolean;
  /** Whether to verify only. */
  readonly check: boolean;
  /** The signer's schema. */
  readonly schema: string;
  /** The file of the backup. */
  readonly file: string;
  /** The file of the RSA key: public to back up, private to restore. */
  readonly key: string;
}

/** Reads the command line. @throws UsageError */
export function readKeysInput(args: readonly string[]): KeysInput {
  const { values, positionals } = parse(args);
  const [given, ...more] = positionals;
  if (values.help || given === undefined) return { command: 'help', ...NOTHING };
  const command = COMMANDS.find((name) => name === given);
  if (!command) throw new UsageError(`Unknown command: keys ${given}.`);
  if (more.length > 0) throw new UsageError(`${more[0]} is one argument too many.`);
  const { retire = false, check = false, schema = 'signer' } = values;
  const [file, key] = command === 'backup' ? [values.to, values.recipient] : [values.from, values.identity];
  if (command === 'backup' && !(file && key))
    throw new UsageError('backup takes --to FILE and --recipient PUBLIC.pem.');
  if (command === 'restore' && !(file && key))
    throw new UsageError('restore takes --from FILE and --identity PRIVATE.pem.');
  return { command, retire, check, schema, file: file ?? '', key: key ?? '' };
}

const NOTHING = { retire: false, check: false, schema: 'signer', file: '', key: '' };

function parse(args: readonly string[]) {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        to: text,
        from: text,
        recipient: text,
        identity: text,
        schema: text,
        retire: flag,
        check: flag,
        json: flag,
        help: { ...flag, short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
