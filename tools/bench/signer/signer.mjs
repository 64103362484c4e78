// Benchmark: a signature of the signer against a bare signature and a bare call.
import { Checks } from '../measure/checks.mjs';
import { cpuRound } from '../measure/cpu-round.mjs';
import { figure } from '../measure/figure.mjs';
import { closedLoop } from '../measure/load.mjs';
import { inPairs } from '../measure/pairs.mjs';
import { descendants } from '../measure/process-cpu.mjs';
import { profiled } from '../measure/profile.mjs';
import { openGrpcHop } from '../parts/grpc-hop.mjs';
import { productProcess } from '../process-names.mjs';
import { processTable } from '../transfers/tables.mjs';
import { startDeployment } from '../world.mjs';
import { openBareSigning, ProductSigning } from './signing.mjs';

const CALLERS = 32;
const LONG = { warmUpCalls: 20_000, roundMs: 4_000, profileMs: 6_000 };
const QUICK = { warmUpCalls: 5_000, roundMs: 1_500, profileMs: 3_000 };

/** CPU of both ends and of Postgres, over mutual TLS, a thousand keys in turn. */
export async function measureSigner({ pairs, isQuick, profilePath }) {
  const times = isQuick ? QUICK : LONG;
  const deployment = await startDeployment();
  const signing = await ProductSigning.open(deployment);
  const hop = await openGrpcHop({ certificates: deployment.infrastructure.certificates });
  const ground = { signing, times, pairs, limit: bareRound(hop, times.roundMs) };
  const open = await compareSigning(ground);
  const profiles = profilePath ? await profileSigner(ground, profilePath) : [];
  const checks = new Checks();
  checks.equal('a permit for another message is refused', await signing.refusal(), REFUSAL);
  await deployment.terminate('signer-0');
  await deployment.restart('signer-0', { SIGNER_MAX_OPEN_KEYS: '1' });
  await signing.connected();
  const sealed = await compareSigning(ground);
  const { signed, bad } = signing.verified();
  checks.equal('keys that signed', signed, 1_000);
  checks.equal('signatures that do not verify, or differ for the same message', bad, 0);
  const unit = 'µs of CPU';
  return {
    name: 'signer',
    notes: `${CALLERS} callers, 1 000 keys in turn, ${pairs} pairs; permit verified, message decoded and checked`,
    figures: [
      figure('a signature against node:crypto and a bare call, mutual TLS', open, { unit, aim: { atMost: 2.5 } }),
      figure('the same with each key read and unsealed anew (SIGNER_MAX_OPEN_KEYS=1)', sealed, { unit }),
    ],
    tables: [processTable(open.productRounds, 'a signature'), ...profiles],
    checks: checks.all,
  };
}

const REFUSAL = 'SIGNING_REFUSED permit_message_hash';

function bareRound(hop, durationMs) {
  const bareSign = openBareSigning();
  const call = async () => {
    await hop.call();
    bareSign();
  };
  const nameOf = (process) => (hop.isPeer(process) ? 'the other end' : undefined);
  return () => cpuRound({ callers: CALLERS, durationMs, call, nameOf, countsUs: true });
}

async function compareSigning({ signing, times, pairs, limit }) {
  const call = () => signing.sign();
  signing.permit();
  await closedLoop({ callers: CALLERS, calls: times.warmUpCalls, call });
  const product = () => {
    signing.permit();
    return cpuRound({ callers: CALLERS, durationMs: times.roundMs, call, nameOf: signerProcess, countsUs: true });
  };
  return inPairs({ pairs, limit, product, numberOf: ({ cpuUs }) => cpuUs });
}

/** The signer, and the Postgres that works for it. */
function signerProcess(process) {
  const name = productProcess(process);
  return name === 'signer' || name === 'postgres for signer' ? name : undefined;
}

async function profileSigner({ signing, times }, directory) {
  const { pid } = [...descendants().values()].find((process) => productProcess(process) === 'signer');
  signing.permit();
  const load = () => closedLoop({ callers: CALLERS, durationMs: times.profileMs, call: () => signing.sign() });
  return profiled({ name: 'signer', pid, load, directory });
}
