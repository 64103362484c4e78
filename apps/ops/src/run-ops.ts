import { AppError } from '@agent-wallet/kernel';
import { type Environment, SettingsError } from '@agent-wallet/platform';
import { userInfo } from 'node:os';
import { runBoot } from './boots/run-boot.js';
import { type Order, readOrder, UsageError } from './command-line.js';
import { Discrepancy } from './commands/command.js';
import { COMMANDS, HELP } from './commands/commands.js';
import { runKeys } from './keys/run-keys.js';
import type { Print } from './print.js';
import { openServices } from './services.js';
import { opsSettings } from './settings.js';

/** Carries out one command line. @returns the exit code: 0 done, 1 not done or something differs, 2 not understood */
export async function runOps(args: readonly string[], environment: Environment, print: Print): Promise<number> {
  if (args[0] === 'keys') return runKeys(args.slice(1), environment, print);
  if (args[0] === 'boot') return runBoot(args.slice(1), environment, print);
  try {
    const order = readOrder(args, userName());
    if (order === 'help') {
      print(HELP);
      return 0;
    }
    await carryOut(order, environment, print);
    return 0;
  } catch (error) {
    print(textOf(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function carryOut(order: Order, environment: Environment, print: Print): Promise<void> {
  const command = COMMANDS[order.command];
  if (!command) throw new UsageError(`There is no command ${order.command}.`);
  command.check?.(order);
  const services = await openServices(await opsSettings(environment));
  try {
    await command.run(order, services, print);
  } finally {
    services.close();
  }
}

function textOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${HELP}`;
  if (error instanceof SettingsError || error instanceof Discrepancy) return error.message;
  if (error instanceof AppError) {
    const details = error.details.map(({ field, reason }) => `\n  ${field} ${reason}`).join('');
    return `${error.code}: ${error.message}${details}`;
  }
  return `Not done, or not known: ${error instanceof Error ? error.message : String(error)}. It is safe to repeat.`;
}

/** Who runs this; a container's user has a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
