import type { Argv } from 'yargs';
import type { Args } from './args.js';
import type { Context } from './context.js';

/** A command: how it is written, and what it does. */
export interface Command {
  /** The word, and its arguments in the notation of yargs; several forms where a word may be omitted. */
  readonly usage: string | readonly string[];
  readonly summary: string;
  /** Command lines without `aw`, with what each does. */
  readonly examples: readonly (readonly [string, string])[];
  /** Text below the examples. */
  readonly notes?: string;
  /** Names of arguments and options with their descriptions. */
  readonly positionals?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  /** Commands below this one; a command has either these or `run`. */
  readonly commands?: readonly Command[];
  /** Runs it; the exit code is 0 where it returns none. */
  readonly run?: (context: Context, args: Args) => Promise<number | void>;
}

/** Adds commands to a parser. */
export function addCommands(parser: Argv, commands: readonly Command[], runOf: (command: Command) => RunArgs): Argv {
  for (const command of commands) {
    parser.command(
      command.usage,
      command.summary,
      (at: Argv) => {
        describe(at, command);
        if (command.commands) addCommands(at, command.commands, runOf).demandCommand(1, 'A command is missing.');
      },
      command.run ? runOf(command) : () => undefined,
    );
  }
  return parser;
}

type RunArgs = (args: Args) => Promise<void>;

function describe(parser: Argv, { positionals = {}, options = {}, flags = {}, examples, notes }: Command): void {
  for (const [name, description] of Object.entries(positionals)) {
    parser.positional(name, { type: 'string', describe: description });
  }
  // An option of the command takes the place of the program's own.
  if ('version' in options) parser.version(false);
  for (const [name, description] of Object.entries(options)) {
    parser.option(name, { type: 'string', describe: description, requiresArg: true });
  }
  for (const [name, description] of Object.entries(flags)) {
    parser.option(name, { type: 'boolean', describe: description });
  }
  for (const [line, description] of examples) parser.example(`aw ${line}`, description);
  if (notes) parser.epilogue(notes);
}
