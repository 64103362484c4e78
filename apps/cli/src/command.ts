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
  /** Values that completion offers for an argument. */
  readonly values?: Readonly<Record<string, readonly string[] | ((home: string) => readonly string[])>>;
  /** Commands below this one; a command has either these or `run`. */
  readonly commands?: readonly Command[];
  /** Runs it; the exit code is 0 where it returns none. */
  readonly run?: (context: Context, args: Args) => Promise<number | void>;
}

/** Functions that commands are added with. */
export interface Adding {
  readonly runOf: (command: Command) => (args: Args) => Promise<void>;
  /** Keeps text for the end of a help, and returns the mark of its place there. */
  readonly keep: (text: string) => string;
}

/** Adds commands to a parser. */
export function addCommands(parser: Argv, commands: readonly Command[], adding: Adding): Argv {
  for (const command of commands) {
    parser.command(
      command.usage,
      command.summary,
      (at: Argv) => {
        describe(at, command, adding.keep);
        if (command.commands) addCommands(at, command.commands, adding).demandCommand(1, 'A command is missing.');
      },
      command.run ? adding.runOf(command) : () => undefined,
    );
  }
  return parser;
}

/** Writes examples as lines that can be copied: the parser would break them. */
export function exampleText(examples: Command['examples']): string {
  return `Examples:\n${examples.map(([line, description]) => `  aw ${line}\n      ${description}`).join('\n')}`;
}

function describe(parser: Argv, command: Command, keep: Adding['keep']): void {
  const { positionals = {}, options = {}, flags = {}, examples, notes } = command;
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
  parser.epilogue(keep(exampleText(examples) + (notes ? `\n\n${notes}` : '')));
}
