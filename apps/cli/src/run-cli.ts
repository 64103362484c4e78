import yargs from 'yargs';
import type { Args } from './args.js';
import { addCommands, type Adding, type Command, exampleText } from './command.js';
import { COMMANDS } from './commands/commands.js';
import { Context, type Surroundings } from './context.js';
import { EXITS, exitTable, UnwrittenError, UsageError } from './exit-codes.js';
import { reportFailure } from './failures.js';
import { Output } from './output.js';
import { argumentsOf, explainFailure, typedIn } from './parse-failures.js';
import { homeOf, Profiles } from './profiles.js';
import { VERSION } from './version.js';

/** Width of the help outside a terminal. */
const HELP_WIDTH = 100;
const LONGEST_LINE = 120;
/** Option of the scripts of completion, which show all that is printed. */
const COMPLETIONS = '--get-yargs-completions';

/** Runs one command line. @returns the exit code */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env } = surroundings;
  let exitCode: number = EXITS.done.code;
  const runOf =
    ({ run }: Command) =>
    async (given: Args) => {
      const context = new Context(surroundings, given);
      try {
        exitCode = (await run?.(context, given)) ?? EXITS.done.code;
      } catch (error) {
        exitCode = reportFailure(error, context.output, context.source());
      }
    };
  const isCompletion = args[0] === COMPLETIONS;
  try {
    if (!isCompletion) checkFlags(args);
    await parse(args, surroundings, runOf);
  } catch (error) {
    if (isCompletion) return EXITS.done.code;
    return reportFailure(error, new Output(surroundings, args.includes('--json')), { env });
  }
  const failure = await surroundings.written();
  if (exitCode !== EXITS.done.code || !failure) return exitCode;
  // As a program that the signal of a broken pipe ends: `head` has what it wants.
  if ((failure as NodeJS.ErrnoException).code === 'EPIPE') return EXITS.reader.code;
  return reportFailure(new UnwrittenError(failure), new Output(surroundings, args.includes('--json')), { env });
}

/** Parses and runs, and prints what the parser itself says: help, the version, or a script. */
async function parse(args: readonly string[], surroundings: Surroundings, runOf: Adding['runOf']): Promise<void> {
  const kept: string[] = [];
  const keep = (text: string) => `{{${kept.push(text) - 1}}}`;
  const width = Math.min(surroundings.columns ?? HELP_WIDTH, LONGEST_LINE);
  let said = '';
  await parserOf({ args, env: surroundings.env, width }, { runOf, keep }).parseAsync(
    [...args],
    {},
    (_error, _argv, output: string) => {
      said = output;
    },
  );
  if (said) surroundings.out(`${said.replace(/\{\{(\d+)\}\}/g, (_, n: string) => kept[Number(n)] ?? '')}\n`);
}

const FLAGS = new Set(['json', 'utc', 'raw', ...flagsOf(COMMANDS)]);

function flagsOf(commands: readonly Command[]): readonly string[] {
  return commands.flatMap(({ flags = {}, commands: below = [] }) => [...Object.keys(flags), ...flagsOf(below)]);
}

/** Refuses what yargs takes for an omitted flag: `--dry-run=yes`, and all that follows `--`. @throws UsageError */
function checkFlags(args: readonly string[]): void {
  if (args.includes('--')) throw new UsageError('-- is not taken: leave it out.');
  for (const arg of args) {
    const [, name = ''] = /^--?([^=]+)=/.exec(arg) ?? [];
    const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (FLAGS.has(kebab)) throw new UsageError(`--${kebab} takes no value.`);
  }
}

/** A command line, and where it runs. */
interface Line {
  readonly args: readonly string[];
  readonly env: Surroundings['env'];
  readonly width: number;
}

function parserOf({ args, env, width }: Line, adding: Adding) {
  const parser = yargs()
    .scriptName('aw')
    .locale('en')
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'boolean-negation': false,
      'dot-notation': false,
    })
    .usage('$0 <command>\n\nThe command line of Agent Wallet. Money moves once for each command, also after a crash.');
  for (const [name, describe] of Object.entries(SETTINGS)) {
    parser.option(name, { type: 'string', global: true, requiresArg: true, describe });
  }
  for (const [name, describe] of Object.entries(SWITCHES)) {
    parser.option(name, { type: 'boolean', global: true, describe });
  }
  return addCommands(parser, COMMANDS, adding)
    .completion('completion', 'Print a script for completion in bash or zsh', completed(args, env))
    .epilogue(adding.keep(`${exampleText(EXAMPLES)}\n\nExit codes:\n${exitTable()}`))
    .demandCommand(1, 'A command is missing.')
    .strict()
    .recommendCommands()
    .version(VERSION)
    .help()
    .wrap(width)
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? new UsageError(message === null ? 'The command is wrong.' : explainFailure(message, args));
    });
}

const SETTINGS = {
  api: 'Address of the service (AW_API)',
  profile: 'Session and open requests that are used, see aw profiles (AW_PROFILE)',
  home: 'Folder of the session and of open requests (AW_HOME), ~/.agent-wallet',
  wait: 'Seconds to wait for the end of an operation, 300',
};
const SWITCHES = {
  json: 'Print one JSON value',
  raw: 'Show all digits of money and prices',
  utc: 'Show times in UTC',
};
const EXAMPLES = [
  ['send 12.5 USDC 8dPB…xRHc', 'Send 12.5 USDC'],
  ['completion', 'Print a script: source <(aw completion) completes commands in this shell'],
] as const;

/** Returns what offers the values of an argument that has some, and names of profiles; else what the parser offers. */
function completed(args: readonly string[], env: Surroundings['env']) {
  return (
    _current: string,
    argv: { readonly _: readonly (string | number)[]; readonly home?: unknown },
    otherwise: () => void,
    done: (words: string[]) => void,
  ): void => {
    const home = homeOf(typeof argv.home === 'string' ? argv.home : undefined, env);
    const typed = typedIn(argv._.slice(1).map(String));
    // The last word is the one that is being typed.
    const name = typed.command && argumentsOf(typed.command)[Math.max(0, typed.given.length - 1)];
    const values = name === undefined ? undefined : typed.command?.values?.[name];
    if (args.at(-2) === '--profile') done([...new Profiles(home).names()]);
    else if (values) done([...(typeof values === 'function' ? values(home) : values)]);
    else otherwise();
  };
}
