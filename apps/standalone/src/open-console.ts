import { type ConsoleFacts, type RunningConsole, startConsole } from '@agent-wallet/console';
import { type Environment, type Logger, readSettings, setting, SettingsError } from '@agent-wallet/platform';
import type { StandaloneSettings } from './settings.js';

/** The console of a deployment on one machine, which listens before the services start. */
interface OpenConsole {
  readonly console: RunningConsole;
  readonly url: string;
  /** Variables that name its origin to the services. */
  readonly environment: Environment;
  /** Tells the page where the API is. */
  publish(facts: ConsoleFacts): void;
}

const DEFAULT_PORT = 8081;

/**
 * Starts the console of a deployment on one machine, whose services must know its origin before they start. Undefined in
 * production, and where `OWNER_ORIGIN` names another server.
 *
 * @throws SettingsError when its port is in use
 */
export async function openConsole(
  { environment }: Pick<StandaloneSettings, 'environment'>,
  logger: Logger,
): Promise<OpenConsole | undefined> {
  if (environment['OWNER_ORIGIN'] || environment['NODE_ENV'] === 'production') return undefined;
  // Who asks for any port of the API asks for any port here.
  const byDefault = environment['PORT'] === '0' ? 0 : DEFAULT_PORT;
  const { CONSOLE_PORT: port } = readSettings(
    { CONSOLE_PORT: setting.integer({ min: 0, max: 65_535 }).default(byDefault) },
    environment,
  );
  let known: ConsoleFacts | undefined;
  const running = await startConsole({ address: `127.0.0.1:${port}`, logger }, () => known).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new SettingsError([
      `CONSOLE_PORT: port ${port} is in use. Stop the program that listens there, or set CONSOLE_PORT to a free port.`,
    ]);
  });
  const url = localhostUrl(running.address);
  return {
    console: running,
    url,
    environment: { OWNER_ORIGIN: url, OWNER_CONSOLE: 'true' },
    publish: (facts) => {
      known = facts;
    },
  };
}

/** Returns the URL of an address by the name under which browsers take passkeys without TLS. */
export function localhostUrl(address: string): string {
  return `http://localhost:${address.slice(address.lastIndexOf(':') + 1)}`;
}
