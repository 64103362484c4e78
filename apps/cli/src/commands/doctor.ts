import { AgentWallet, ApiError } from '@agent-wallet/sdk';
import type { Command } from '../command.js';
import type { Context } from '../context.js';
import { EXITS, exitOf, type ExitName } from '../exit-codes.js';
import { VERSION } from '../version.js';

/** Result of a check. */
interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  /** The next step, where something is wrong. */
  readonly todo: string;
  /** End of the program when this is the first thing that is wrong. */
  readonly exit: ExitName;
}

const TIMEOUT_MS = 5_000;
const MOST_CLOCK_DIFFERENCE_S = 30;

/** Looks at one thing; a failure is a finding too. */
async function look(
  check: string,
  todo: string,
  see: () => Promise<{ readonly ok: boolean; readonly found: string; readonly exit?: ExitName }>,
): Promise<Finding> {
  try {
    const { ok, found, exit = 'unexpected' } = await see();
    return { check, ok, found, todo: ok ? '' : todo, exit };
  } catch (error) {
    const found = error instanceof ApiError ? `${error.message} (${error.code})` : (error as Error).message;
    return { check, ok: false, found, todo, exit: exitOf(error) };
  }
}

/** Checks the API, the clock and the versions. */
async function lookAtService(context: Context): Promise<readonly Finding[]> {
  let date: string | null = null;
  const fetchDated: typeof fetch = async (...call) => {
    const response = await fetch(...call);
    date = response.headers.get('date');
    return response;
  };
  let version = 'unknown';
  const api = await look('API', 'Check --api or AW_API, and that the service runs.', async () => {
    const options = { ...context.options(), retryForMs: 0, timeoutMs: TIMEOUT_MS, fetch: fetchDated };
    // This route needs no token.
    const service = await new AgentWallet(options, '').get('/');
    version = service.version;
    return { ok: true, found: `${context.api}, ${service.network}${service.realMoney ? ', real money' : ''}` };
  });
  const clock = await look('clock', 'Set the clock of this computer.', async () => {
    if (date === null) return { ok: api.ok, found: 'the service does not say its time', exit: api.exit };
    const seconds = Math.round((context.surroundings.nowMs() - Date.parse(date)) / 1_000);
    return { ok: Math.abs(seconds) <= MOST_CLOCK_DIFFERENCE_S, found: `${seconds} s from the service` };
  });
  const found = `aw ${VERSION}, service ${version}, Node.js ${process.versions.node}`;
  return [api, clock, { check: 'versions', ok: true, found, todo: '', exit: 'done' }];
}

async function lookAtSession(context: Context): Promise<readonly Finding[]> {
  const quick = { retryForMs: 0, timeoutMs: TIMEOUT_MS };
  return [
    await look('session', 'Log in: aw login.', async () => {
      const { email, chainAddress } = await context.wallet(quick).me();
      return { ok: true, found: `${email}, ${chainAddress}` };
    }),
    await look('pending', 'Go on: aw resume --all.', async () => {
      const { length } = await context.wallet(quick).pending();
      return { ok: length === 0, found: length === 0 ? 'nothing is open' : `${length} open`, exit: 'open' };
    }),
  ];
}

export const doctor: Command = {
  usage: 'doctor',
  summary: 'Check the service, the session and what is open',
  examples: [['doctor', 'See what is wrong, and what to do']],
  run: async (context) => {
    const findings = [...(await lookAtService(context)), ...(await lookAtSession(context))];
    const wrong = findings.find(({ ok }) => !ok);
    context.output.result({ ok: !wrong, checks: findings.map(({ exit: _exit, ...finding }) => finding) }, ({ table }) =>
      table(
        ['CHECK', 'STATE', 'FOUND', 'TO DO'],
        findings.map(({ check, ok, found, todo }) => [check, ok ? 'ok' : 'WRONG', found, todo || ' ']),
        '',
      ),
    );
    return EXITS[wrong?.exit ?? 'done'].code;
  },
};
