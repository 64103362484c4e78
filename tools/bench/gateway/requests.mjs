// The same requests to the gateway and to a bare server.
import { createPublicKey } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { cpuRound } from '../measure/cpu-round.mjs';
import { openHttpCaller } from '../measure/http-caller.mjs';
import { productProcess } from '../process-names.mjs';

export const CALLERS = 32;

/** The public half of the key that the gateway's tokens are signed with, for the bare server. */
export async function tokenKeyPem({ jwtKeysPath }) {
  const name = (await readdir(jwtKeysPath)).toSorted().at(-1);
  const key = createPublicKey(await readFile(path.join(jwtKeysPath, name)));
  return key.export({ type: 'spki', format: 'pem' });
}

/**
 * A round of requests, `{ durationMs }` or `{ calls }`, over connections of its own; what `ask(caller)` resolves to is given to `judge`. The end that asks
 * does not count.
 */
export async function requestRound({ url, extent, ask, judge, nameOf }) {
  const caller = openHttpCaller(url, CALLERS);
  const call = async () => judge(await ask(caller));
  try {
    return await cpuRound({ callers: CALLERS, ...extent, call, nameOf });
  } finally {
    caller.close();
  }
}

/** The gateway and its Postgres. */
export function gatewayProcess(process) {
  const name = productProcess(process);
  return ['gateway', 'postgres for gateway', 'postgres itself'].includes(name) ? name : undefined;
}

/** What a round's process itself costs, without its Postgres. */
export const processAlone = (name) => (round) => round.byProcess[name];

/** Rates beside the CPU. */
export function rateTable(sides) {
  const rows = Object.entries(sides).map(([name, rate]) => [name, rate]);
  return { title: `answers a second, ${CALLERS} callers`, rows: [['', 'a second'], ...rows] };
}
