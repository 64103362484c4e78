// Benchmark: an agent reads its policy, which the gateway has from a stub at its port to the policy service, inside of its
// own process: the bare server calls nobody either. Everything else is as it is served: session, rate limits, contract.
import { fileURLToPath } from 'node:url';
import { Checks } from '../measure/checks.mjs';
import { figure } from '../measure/figure.mjs';
import { compare, inPairs } from '../measure/pairs.mjs';
import { startPeer } from '../measure/peer.mjs';
import { descendants, environmentOf } from '../measure/process-cpu.mjs';
import { profiled } from '../measure/profile.mjs';
import { median } from '../measure/statistics.mjs';
import { productProcess } from '../process-names.mjs';
import { processTable } from '../transfers/tables.mjs';
import { openWorld } from '../world.mjs';
import { CALLERS, gatewayProcess, processAlone, rateTable, requestRound, tokenKeyPem } from './requests.mjs';

const AGENTS = 50;
const BARE = fileURLToPath(new URL('../parts/json-api-server.mjs', import.meta.url));
const STUBBED = fileURLToPath(new URL('stubbed-gateway.mjs', import.meta.url));
/** What the stub answers and nobody else does. */
const STUB_LIMIT_USD = 123;

/** Just-in-time compilers need thousands of calls. */
const LONG = { warmUp: { calls: 12_000 }, round: { durationMs: 4_000 }, profile: { durationMs: 6_000 } };
const QUICK = { warmUp: { calls: 3_000 }, round: { durationMs: 1_500 }, profile: { durationMs: 3_000 } };

/** CPU of the gateway with its Postgres against a bare Fastify that checks the same tokens. */
export async function measurePolicyRead({ pairs, isQuick, profilePath }) {
  const times = isQuick ? QUICK : LONG;
  const { deployment, agents } = await openWorld({ agents: AGENTS });
  const { infrastructure } = deployment;
  const gateway = await startStubbed(deployment);
  const bare = await startPeer(BARE, [await tokenKeyPem(infrastructure.secrets)]);
  const errors = [];
  const limit = bareRound({ bare, agents, extent: times.round, errors });
  const product = (extent) => gatewayRound({ gateway, agents, extent, errors });
  await product(times.warmUp);
  const numberOf = ({ cpuUs }) => cpuUs;
  const measured = await inPairs({ pairs, limit, product: () => product(times.round), numberOf });
  const profiles = profilePath ? await profileGateway(gateway, () => product(times.profile), profilePath) : [];
  const checks = new Checks();
  checks.equal('answers that were not the policy', errors[0] ?? 'none', 'none');
  return resultOf({ measured, pairs, profiles, checks });
}

/** A gateway with a stub at policy's port, in place of the deployment's. */
async function startStubbed(deployment) {
  const { pid } = [...descendants().values()].find((process) => productProcess(process) === 'gateway');
  const environment = environmentOf(pid);
  await deployment.terminate('gateway-0');
  return startPeer(STUBBED, [], environment);
}

function gatewayRound({ gateway: { pid, port }, agents, extent, errors }) {
  const ask = asking('/wallets/me/policy', agents);
  const judge = ({ status, text }) => {
    const isRight = status === 200 && JSON.parse(text).data.policy.maxSingleTransactionInUsd === STUB_LIMIT_USD;
    if (!isRight) errors.push(`${status} ${text}`);
  };
  const nameOf = (process) => (process.pid === pid ? 'gateway' : gatewayProcess(process));
  return requestRound({ url: `http://127.0.0.1:${port}`, extent, ask, judge, nameOf });
}

function bareRound({ bare: { pid, port }, agents, extent, errors }) {
  const ask = asking('/policy', agents);
  const judge = ({ status, text }) => {
    if (status !== 200 || !JSON.parse(text).status) errors.push(`the bare server: ${status} ${text}`);
  };
  const nameOf = (process) => (process.pid === pid ? 'bare' : undefined);
  return () => requestRound({ url: `http://127.0.0.1:${port}`, extent, ask, judge, nameOf });
}

/** Asks in the name of each agent in turn. */
function asking(path, agents) {
  const headers = agents.map(({ token }) => ({ authorization: `Bearer ${token}` }));
  let turn = 0;
  return (caller) => caller.get(path, headers[(turn += 1) % headers.length]);
}

function profileGateway({ pid }, load, directory) {
  return profiled({ name: 'policy-read-gateway', pid, load, directory });
}

function resultOf({ measured, pairs, profiles, checks }) {
  const { limitRounds, productRounds } = measured;
  const alone = compare(
    { limitRounds: limitRounds.map(processAlone('bare')), productRounds: productRounds.map(processAlone('gateway')) },
    (us) => us,
  );
  const rate = (rounds) => median(rounds.map(({ ratePerSecond }) => ratePerSecond));
  const unit = 'µs of CPU';
  return {
    name: 'policy-read',
    notes: `GET /wallets/me/policy, ${CALLERS} callers over ${AGENTS} agents, ${pairs} pairs; policy itself is a stub`,
    figures: [
      figure('gateway and its Postgres against bare Fastify with the same token check', measured, {
        unit,
        aim: { atMost: 1.6 },
      }),
      figure('the gateway process alone', alone, { unit }),
    ],
    tables: [
      processTable(productRounds, 'an answer'),
      rateTable({ bare: rate(limitRounds), gateway: rate(productRounds) }),
      ...profiles,
    ],
    checks: checks.all,
  };
}
