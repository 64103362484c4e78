import { type Logger, SettingsError } from '@agent-wallet/platform';
import { readFile, writeFile } from 'node:fs/promises';

/** Facts of this process that show whether other processes can read its memory. */
interface ProcessFacts {
  /** Options of Node, from its command line and from NODE_OPTIONS. */
  readonly nodeOptions: readonly string[];
  /** The text of /proc/self/limits; undefined where there is none. */
  readonly limits: string | undefined;
}

/** Options that open a debugger, write memory to a file, or let code reach what it should not. */
const OPENS_MEMORY = [
  /^--inspect/,
  /^--debug/,
  /^--heapsnapshot/,
  /^--heap-prof/,
  /^--cpu-prof/,
  /^--report/,
  /^--diagnostic-dir/,
  /^--expose[-_]gc/,
  /^--abort[-_]on[-_]uncaught[-_]exception/,
  /^--(require|import|loader|experimental-loader)\b/,
  /^-r\b/,
];

/**
 * Closes what would let this process's memory out: no core dump holds any of it, SIGUSR1 opens no debugger. What cannot be
 * closed from within is refused in production, and said in the log elsewhere.
 * @throws SettingsError in production, with what to change
 */
export async function isolate(
  { production }: { readonly production: boolean },
  { logger, facts }: { readonly logger: Logger; readonly facts?: ProcessFacts },
): Promise<void> {
  closeDebugger();
  // Which parts of memory a core dump holds: none. A process may always say this of itself.
  await writeFile('/proc/self/coredump_filter', '0').catch(() => undefined);
  const problems = problemsOf(facts ?? (await ownFacts()));
  if (problems.length === 0) return;
  if (production) throw new SettingsError(problems);
  const fields = { event: 'process.memory_exposed', problems } as const;
  logger.warn(fields, 'Other processes can read this memory; production refuses to start');
}

/** Lists the reasons against keeping keys in such a process. */
export function problemsOf({ nodeOptions, limits }: ProcessFacts): string[] {
  const opening = nodeOptions.filter((option) => OPENS_MEMORY.some((pattern) => pattern.test(option)));
  const core = /^Max core file size +(\S+) +(\S+)/m.exec(limits ?? '');
  return [
    ...opening.map((option) => `NODE_OPTIONS: the signer's memory would be open to ${option}; start it without`),
    ...(core && core.slice(1, 3).some((limit) => limit !== '0')
      ? ['core dumps are on: start the signer with RLIMIT_CORE=0 (ulimit -c 0, LimitCORE=0, --ulimit core=0)']
      : []),
  ];
}

/** Keeps Node from opening its debugger at SIGUSR1: it does so unless another listener has the signal. */
function closeDebugger(): void {
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => undefined);
}

async function ownFacts(): Promise<ProcessFacts> {
  const given = (await environmentNodeStartedWith()).split(/\s+/).filter(Boolean);
  return {
    nodeOptions: [...process.execArgv, ...given].map((option) => option.replaceAll(/^["']|["']$/g, '')),
    limits: await readFile('/proc/self/limits', 'utf8').catch(() => undefined),
  };
}

/** Reads NODE_OPTIONS of the environment that this process was started with, which no code of it can have changed. */
async function environmentNodeStartedWith(): Promise<string> {
  const variables = await readFile('/proc/self/environ', 'utf8').catch(() => '');
  const found = variables.split('\0').find((variable) => variable.startsWith('NODE_OPTIONS='));
  return found?.slice('NODE_OPTIONS='.length) ?? '';
}
