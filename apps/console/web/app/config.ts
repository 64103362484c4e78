import type { SolanaNetwork } from '@agent-wallet/kernel/networks';
import { createContext, useContext } from 'react';
import type { Api } from '../api/client.js';
import type { PatientReads } from '../api/patient-reads.js';

/** `/config.json` of the console's origin. */
export interface Config {
  readonly apiUrl: string;
  readonly hasFaucet: boolean;
  readonly network: SolanaNetwork;
}

/** Configuration and API client of every page, and whether its reads wait. */
export interface Console {
  readonly config: Config;
  readonly api: Api;
  readonly reads: Pick<PatientReads, 'isWaiting' | 'subscribe'>;
}

export const ConsoleContext = createContext<Console | undefined>(undefined);

/** Returns the configuration and the API. */
export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (!console) throw new Error('the console is not configured');
  return console;
}

/** Reads the configuration. The page has preloaded it, and its server lets it be stored nowhere. */
export async function readConfig(): Promise<Config> {
  const response = await fetch('/config.json');
  if (!response.ok) throw new Error('the console has no configuration');
  return (await response.json()) as Config;
}
