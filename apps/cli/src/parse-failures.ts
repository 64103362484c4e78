import leven from 'leven';
import type { Command } from './command.js';
import { COMMANDS } from './commands/commands.js';

/** A command as it was typed: its words, and the arguments after them. */
export interface Typed {
  readonly command: Command | undefined;
  readonly words: readonly string[];
  readonly given: readonly string[];
}

/** Options that every command takes. */
const COMMON = ['api', 'profile', 'home', 'json', 'wait', 'raw', 'utc', 'help', 'version'];
const MOST_TYPOS = 2;

/** Returns the forms of a command's usage. */
function usagesOf({ usage }: Command): readonly string[] {
  return typeof usage === 'string' ? [usage] : usage;
}

function wordOf(command: Command): string {
  return usagesOf(command)[0]!.split(' ')[0]!;
}

/** Finds the command of a command line. */
export function typedIn(args: readonly string[]): Typed {
  let command: Command | undefined;
  let below: readonly Command[] | undefined = COMMANDS;
  const words: string[] = [];
  const given: string[] = [];
  for (const arg of args.filter((each) => !each.startsWith('-'))) {
    const found: Command | undefined = given.length === 0 ? below?.find((each) => wordOf(each) === arg) : undefined;
    if (found) {
      [command, below] = [found, found.commands];
      words.push(arg);
    } else if (command) given.push(arg);
  }
  return { command, words, given };
}

/** Returns the names of a command's arguments, in their order. */
export function argumentsOf(command: Command): readonly string[] {
  return [...usagesOf(command)[0]!.matchAll(/[<[](\w+)[>\]]/g)].map(([, name]) => name!);
}

/** Writes a failure of the parser so that it names the argument that is missing or the option that was meant. */
export function explainFailure(message: string, args: readonly string[]): string {
  const { command, words } = typedIn(args);
  const [, got] = /^Not enough non-option arguments: got (\d+)/.exec(message) ?? [];
  if (command && got !== undefined) {
    const usage = ['aw', ...words.slice(0, -1), usagesOf(command)[0]].join(' ');
    const missing = argumentsOf(command)[Number(got)];
    if (missing) return `<${missing}> is missing: ${usage}`;
  }
  const shell = command ? undefined : args[args.indexOf('completion') + 1];
  if (args.includes('completion') && shell !== undefined && !shell.startsWith('-')) {
    return `completion takes no argument, not ${shell}: it prints the script of the shell in SHELL, which is bash or zsh.`;
  }
  const [, unknown] = /^Unknown arguments?: ([^,]+)/.exec(message) ?? [];
  const near = unknown === undefined ? undefined : nearest(unknown, command);
  return near === undefined ? message : `${message}. Did you mean --${near}?`;
}

function nearest(name: string, command: Command | undefined): string | undefined {
  const { options = {}, flags = {} } = command ?? {};
  const known = [...Object.keys(options), ...Object.keys(flags), ...COMMON];
  const ranked = known.map((each) => ({ each, typos: leven(each, name) })).toSorted((a, b) => a.typos - b.typos);
  const [best] = ranked;
  return best && best.typos <= MOST_TYPOS ? best.each : undefined;
}
