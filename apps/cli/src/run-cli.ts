import yargs from 'yargs';
import type { Args } from './args.js';
import { addCommands, type Command } from './command.js';
import { COMMANDS } from './commands/commands.js';
import { Context, type Surroundings } from './context.js';
import { EXITS, exitTable, UnwrittenError, UsageError } from './exit-codes.js';
import { reportFailure } from './failures.js';
import { Output } from './output.js';
import { VERSION } from './version.js';

const HELP_WIDTH = 100;

/** Runs one command line. @returns the exit code */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = EXITS.done.code;
  const runOf =
    ({ run }: Command) =>
    async (given: Args) => {
      const context = new Context(surroundings, given);
      try {
        exitCode = (await run?.(context, given)) ?? EXITS.done.code;
      } catch (error) {
        exitCode = reportFailure(error, context.output);
      }
    };
  try {
    checkFlags(args);
    await parserOf(args, runOf).parseAsync();
  } catch (error) {
    return reportFailure(error, new Output(surroundings, args.includes('--json')));
  }
  const failure = await surroundings.written();
  if (exitCode !== EXITS.done.code || !failure) return exitCode;
  // As a program that the signal of a broken pipe ends: `head` has what it wants.
  if ((failure as NodeJS.ErrnoException).code === 'EPIPE') return EXITS.reader.code;
  return reportFailure(new UnwrittenError(failure), new Output(surroundings, args.includes('--json')));
}

const FLAGS = new Set(['json', ...flagsOf(COMMANDS)]);

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

function parserOf(args: readonly string[], runOf: Parameters<typeof addCommands>[2]) {
  const parser = yargs([...args])
    .scriptName('aw')
    .locale('en')
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'boolean-negation': false,
      'dot-notation': false,
    })
    .usage('$0 <command>\n\nThe command line of Agent Wallet. Money moves once for each command, also after a crash.')
    .option('api', { type: 'string', global: true, requiresArg: true, describe: 'Address of the service (AW_API)' })
    .option('json', { type: 'boolean', global: true, describe: 'Print one JSON value' })
    .option('home', {
      type: 'string',
      global: true,
      requiresArg: true,
      describe: 'Folder of the session and of open requests (AW_HOME), ~/.agent-wallet',
    })
    .option('wait', {
      type: 'string',
      global: true,
      requiresArg: true,
      describe: 'Seconds to wait for the end of an operation, 300',
    });
  return addCommands(parser, COMMANDS, runOf)
    .completion('completion', 'Print a script for completion in bash or zsh')
    .example('aw send 12.5 USDC 8dPB…xRHc', 'Send 12.5 USDC')
    .example('source <(aw completion)', 'Complete commands in this shell')
    .epilogue(`Exit codes:\n${exitTable()}`)
    .demandCommand(1, 'A command is missing.')
    .strict()
    .recommendCommands()
    .version(VERSION)
    .help()
    .wrap(HELP_WIDTH)
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? new UsageError(message ?? 'The command is wrong.');
    });
}
