// All bare parts of a transfer.
import { cpuOfPart } from '../measure/part-cpu.mjs';
import { sum } from '../measure/statistics.mjs';
import { openBenchDatabase } from './bench-database.mjs';
import { openBuildMessage } from './build-message.mjs';
import { openEvent } from './event.mjs';
import { openGrpcHop } from './grpc-hop.mjs';
import { openJsonApi } from './json-api.mjs';
import { openRpcCall } from './rpc-call.mjs';
import { openSign } from './sign.mjs';
import { openSqlStatement } from './sql-statement.mjs';
import { openSvmTransfer } from './svm-transfer.mjs';

const WAYS = [
  openJsonApi,
  openGrpcHop,
  openSqlStatement,
  openSign,
  openBuildMessage,
  openRpcCall,
  openSvmTransfer,
  openEvent,
];

/** Opens them beside a deployment's Postgres and certificates. */
export async function openParts({ infrastructure, eventsPerTransfer }) {
  const database = await openBenchDatabase(infrastructure.postgres);
  const ground = { database, certificates: infrastructure.certificates, eventsPerTransfer };
  const parts = [];
  for (const open of WAYS) parts.push(await open(ground));
  return parts;
}

/**
 * One round of every part: `costs`, what each costs a transfer, and their sum `cpuUs`. By themselves the parts run as
 * many calls at once as they like best; `callers: 1` shows what they cost when each call wakes the other end anew.
 */
export async function costOfParts(parts, durationMs, over = {}) {
  const costs = [];
  for (const part of parts) costs.push(part.times * (await cpuOfPart({ ...part, ...over }, durationMs)));
  return { costs, cpuUs: sum(costs) };
}
