import { AppError } from '@agent-wallet/kernel';
import { type Environment, SettingsError } from '@agent-wallet/platform';
import { userInfo } from 'node:os';
import { runBoots } from './boots/run-boots.js';
import { type CommandLine, readCommandLine, UsageError } from './command-line.js';
import type { Report } from './commands/command.js';
import { COMMANDS, helpOf } from './commands/commands.js';
import { runDoctor } from './doctor/run-doctor.js';
import { runKeys } from './keys/run-keys.js';
import { type Print, toJsonText } from './print.js';
import { openServices } from './services.js';
import { opsSettings } from './settings.js';

/** Runs one command line. @returns the exit code: 0 done, 1 failed or a discrepancy was found, 2 wrong command line */
export async function runOps(args: readonly string[], environment: Environment, print: Print): Promise<number> {
  if (args[0] === 'keys') return runKeys(args.slice(1), environment, print);
  if (args[0] === 'doctor') return runDoctor(args.slice(1), environment, print);
  if (args[0] === 'boots') return runBoots(args.slice(1), environment, print);
  const wantsJson = args.includes('--json');
  let line: CommandLine | undefined;
  try {
    line = readCommandLine(args, userName());
    if (line.wantsHelp || line.words.length === 0) {
      print(helpOf(line.words));
      return 0;
    }
    const { json, lines, failure } = await runCommand(line, environment);
    if (wantsJson) print(toJsonText(json));
    else [...lines, ...(failure ? [failure] : [])].forEach((text) => print(text));
    return failure ? 1 : 0;
  } catch (error) {
    print(wantsJson ? toJsonText({ error: describe(error) }) : textOf(error, line));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function runCommand(line: CommandLine, environment: Environment): Promise<Report> {
  const [noun = '', verb = ''] = line.words;
  const name = COMMANDS[noun] ? noun : `${noun} ${verb}`.trim();
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`Unknown command: ${name}.`);
  const input = line.inputOf(name.split(' ').length);
  command.check?.(input);
  const services = await openServices(await opsSettings(environment));
  try {
    return await command.run(input, services);
  } finally {
    services.close();
  }
}

/** Describes an error as `--json` prints it. */
function describe(error: unknown): { code: string; message: string; details?: unknown } {
  if (error instanceof UsageError) return { code: 'USAGE', message: error.message };
  if (error instanceof SettingsError) return { code: 'SETTINGS', message: error.message };
  if (error instanceof AppError) return { code: error.code, message: error.message, details: error.details };
  return { code: 'UNKNOWN', message: unknownText(error) };
}

function textOf(error: unknown, line: CommandLine | undefined): string {
  if (error instanceof UsageError) return `${error.message}\n\n${helpOf(line?.words)}`;
  if (error instanceof SettingsError) return error.message;
  if (error instanceof AppError) {
    const details = error.details.map(({ field, reason }) => `\n  ${field} ${reason}`).join('');
    return `${error.code}: ${error.message}${details}`;
  }
  return unknownText(error);
}

function unknownText(error: unknown): string {
  const cause = error instanceof Error ? error.message : String(error);
  return `Failed, or the outcome is unknown: ${cause}. It is safe to repeat the command.`;
}

/** Returns the user's name; a container's user may have a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
