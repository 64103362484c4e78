// Benchmark: what requests cost whom, asked by k6 at the public API and by ghz between services, against the bare servers
// of the same runtime under the same load.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokenKeyPem } from '../gateway/requests.mjs';
import { Checks } from '../measure/checks.mjs';
import { closing } from '../measure/closing.mjs';
import { startPeer } from '../measure/peer.mjs';
import { cpuSince, descendants } from '../measure/process-cpu.mjs';
import { productProcess } from '../process-names.mjs';
import { openWorld } from '../world.mjs';
import { callByGhz, internalCalls } from './internal-calls.mjs';
import { loadPrograms } from './load-programs.mjs';
import { profileTable } from './profile-table.mjs';
import { askByK6, publicRequests } from './public-requests.mjs';

const AGENTS = 50;
const CALLERS = 32;
const BARE_API = fileURLToPath(new URL('../parts/json-api-server.mjs', import.meta.url));
const BARE_RPC = fileURLToPath(new URL('../parts/grpc-hop-server.mjs', import.meta.url));

/** Compilers are warm after the first of two rounds. */
const LONG = { warmUp: 4, round: 8 };
const QUICK = { warmUp: 2, round: 2 };

/** Tables of rates, latencies and CPU a request by service. Only correctness is judged. */
export async function measureApiProfile({ isQuick }) {
  const programs = await loadPrograms();
  const directory = await mkdtemp(path.join(os.tmpdir(), 'api-profile-'));
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const world = await openWorld({ agents: AGENTS });
  const ground = { programs, directory, world, seconds: isQuick ? QUICK : LONG, checks: new Checks() };
  const publicRows = await measureAll(ground, await publicSides(ground));
  const internalRows = await measureAll(ground, await internalSides(ground));
  return {
    name: 'api-profile',
    notes: `k6 and ghz, ${CALLERS} callers, ${ground.seconds.round} s each; CPU of services and their Postgres in µs a request`,
    figures: [],
    tables: [
      profileTable('public API, by k6; the first line is bare Fastify with the same token check', publicRows),
      profileTable('between services, by ghz; the first line is bare grpc-js with the same mutual TLS', internalRows),
    ],
    checks: ground.checks.all,
  };
}

/** The bare server and every route: each `{ name, ask(seconds), nameOf }`. */
async function publicSides({ programs, directory, world }) {
  const { deployment, agents, recipients } = world;
  const tokens = agents.map(({ token }) => token);
  const bare = await startPeer(BARE_API, [await tokenKeyPem(deployment.infrastructure.secrets)]);
  const side = (name, nameOf, request) => {
    const ask = (seconds) =>
      askByK6({ program: programs.k6, directory, callers: CALLERS, seconds }, { ...request, tokens });
    return { name, nameOf, ask };
  };
  return [
    side('bare', only(bare), { url: `http://127.0.0.1:${bare.port}/policy` }),
    ...publicRequests({ to: recipients[0] }).map(({ name, path: route, body }) =>
      side(name, ofProduct, { url: deployment.url() + route, body }),
    ),
  ];
}

async function internalSides({ programs, world }) {
  const { deployment, agents, recipients } = world;
  const { gateway, wallet, policy } = deployment.infrastructure.certificates;
  const bare = await startPeer(BARE_RPC, [policy.caPath, policy.certPath, policy.keyPath]);
  const side = (nameOf, certificate, call) => {
    const ask = (seconds) => callByGhz({ program: programs.ghz, callers: CALLERS, seconds, certificate }, call);
    return { name: call.name, nameOf, ask };
  };
  const [{ token }] = agents;
  const { sub: agentId } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
  const authorize = {
    method: 'agentwallet.policy.v1.PolicyService.Authorize',
    proto: 'agentwallet/policy/v1/policy.proto',
  };
  const address = `127.0.0.1:${bare.port}`;
  return [
    side(only(bare), wallet, { name: 'bare', ...authorize, service: 'policy', address, request: {} }),
    ...internalCalls({ agentId, to: recipients[0] }).map((call) =>
      side(ofProduct, gateway, { ...call, address: deployment.grpcAddressOf(`${call.service}-0`) }),
    ),
  ];
}

/** Each side in turn, warm. */
async function measureAll({ seconds, checks }, sides) {
  const rows = [];
  for (const { name, ask, nameOf } of sides) {
    await ask(seconds.warmUp);
    const before = descendants();
    const { count, failures, ...latency } = await ask(seconds.round);
    const byProcess = [...cpuSince(before, nameOf)].map(([process, us]) => [process, us / count]);
    checks.equal(`requests of ${name} that failed`, failures, 0);
    rows.push({ name, perSecond: count / seconds.round, ...latency, byProcess: Object.fromEntries(byProcess) });
    console.log(`  ${name}: ${(count / seconds.round).toFixed(0)} a second`);
  }
  return rows;
}

const only =
  ({ pid }) =>
  (process) =>
    process.pid === pid ? 'bare' : undefined;

/** The sandbox is not the product, and Postgres is one column, whoever asks it. */
function ofProduct(process) {
  const name = productProcess(process);
  if (name === 'sandbox') return undefined;
  return name?.startsWith('postgres') ? 'postgres' : name;
}
