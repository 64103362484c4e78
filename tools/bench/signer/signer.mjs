// Benchmark: a signature of the signer against a bare signature and a bare call, with a thousand keys and with ten thousand.
import { Checks } from '../measure/checks.mjs';
import { cpuRound } from '../measure/cpu-round.mjs';
import { counted, figure } from '../measure/figure.mjs';
import { closedLoop } from '../measure/load.mjs';
import { inPairs } from '../measure/pairs.mjs';
import { descendants } from '../measure/process-cpu.mjs';
import { median } from '../measure/statistics.mjs';
import { openGrpcHop } from '../parts/grpc-hop.mjs';
import { productProcess } from '../process-names.mjs';
import { memoryOf } from '../start/memory.mjs';
import { processTable } from '../transfers/tables.mjs';
import { startDeployment } from '../world.mjs';
import { openBareSigning, ProductSigning } from './signing.mjs';

const CALLERS = 32;
const LONG = { few: 1_000, many: 10_000, warmUpCalls: 20_000, roundMs: 4_000 };
const QUICK = { few: 200, many: 2_000, warmUpCalls: 2_000, roundMs: 1_500 };
/** Nothing that was opened is kept: each signature reads its key, and unseals it. */
const NOTHING_KEPT = { SIGNER_MAX_OPEN_KEYS: '1', SIGNER_OPEN_KEY_TTL_SECONDS: '0' };
const REFUSAL = 'SIGNING_REFUSED permit_message_hash';

/** CPU of both ends and of Postgres, over mutual TLS, all keys in turn; how fast keys are made, and what they take. */
export async function measureSigner({ pairs, isQuick }) {
  const times = isQuick ? QUICK : LONG;
  const deployment = await startDeployment();
  const signing = await ProductSigning.open(deployment);
  const hop = await openGrpcHop({ certificates: deployment.infrastructure.certificates });
  const ground = { deployment, signing, times, pairs, limit: bareRound(hop, times.roundMs) };
  const made = [await signing.grow(times.few, CALLERS)];
  const open = await compareSigning(ground);
  const checks = new Checks();
  checks.equal('a permit for another message is refused', await signing.refusal(), REFUSAL);
  await restart(ground);
  const few = await compareSigning(ground);
  made.push(await signing.grow(times.many, CALLERS));
  const many = await compareSigning(ground);
  const { signed, bad } = signing.verified();
  checks.equal('keys that signed', signed, times.many);
  checks.equal('signatures that do not verify, or differ for the same message', bad, 0);
  return {
    name: 'signer',
    notes: `${CALLERS} callers, all keys in turn, ${pairs} pairs; permit verified, message decoded, checked, countersigned`,
    figures: figuresOf({ open, few, many, made, times }),
    tables: [
      processTable(open.productRounds, 'a signature'),
      processTable(many.productRounds, 'a signature, nothing kept'),
    ],
    checks: checks.all,
  };
}

function figuresOf({ open, few, many, made, times }) {
  const unit = 'µs of CPU';
  const flat = { ...many, limit: few.product, product: many.product, ratio: many.ratio / few.ratio };
  const rateOf = ({ productRounds }) => Math.round(median(productRounds.map(({ ratePerSecond }) => ratePerSecond)));
  return [
    figure('a signature against node:crypto and a bare call, mutual TLS', open, { unit }),
    figure(`the same with nothing opened kept, ${times.few} keys`, few, { unit, aim: { atMost: 2.5 } }),
    figure(`the same with nothing opened kept, ${times.many} keys`, many, { unit, aim: { atMost: 2.5 } }),
    figure(`${times.many} keys against ${times.few}, each held against its own limit`, flat, {
      unit,
      aim: { atMost: 1.1 },
    }),
    counted(`keys made, the first ${times.few}`, Math.round(made[0]), { unit: 'a second' }),
    counted(`keys made, up to ${times.many}`, Math.round(made[1]), { unit: 'a second' }),
    counted(`signatures, ${times.few} keys, nothing kept`, rateOf(few), { unit: 'a second' }),
    counted(`signatures, ${times.many} keys, nothing kept`, rateOf(many), { unit: 'a second' }),
    counted(`memory of the signer, ${times.few} keys`, Math.round(few.memoryMib), { unit: 'MiB' }),
    counted(`memory of the signer, ${times.many} keys`, Math.round(many.memoryMib), { unit: 'MiB' }),
  ];
}

async function restart({ deployment, signing }) {
  await deployment.terminate('signer-0');
  await deployment.restart('signer-0', NOTHING_KEPT);
  await signing.connected();
}

function bareRound(hop, durationMs) {
  const bareSign = openBareSigning();
  const call = async () => {
    await hop.call();
    bareSign();
  };
  const nameOf = (process) => (hop.isPeer(process) ? 'the other end' : undefined);
  return () => cpuRound({ callers: CALLERS, durationMs, call, nameOf, countsUs: true });
}

/** Every key signs at least once before it counts. */
async function compareSigning({ signing, times, pairs, limit }) {
  const call = () => signing.sign();
  signing.permit();
  await closedLoop({ callers: CALLERS, calls: Math.max(times.warmUpCalls, signing.keys), call });
  const product = () => {
    signing.permit();
    return cpuRound({ callers: CALLERS, durationMs: times.roundMs, call, nameOf: signerProcess, countsUs: true });
  };
  const measured = await inPairs({ pairs, limit, product, numberOf: ({ cpuUs }) => cpuUs });
  return { ...measured, memoryMib: memoryOf([signerPid()]).rss };
}

/** The signer, and the Postgres that works for it. */
function signerProcess(process) {
  const name = productProcess(process);
  return name === 'signer' || name === 'postgres for signer' ? name : undefined;
}

function signerPid() {
  return [...descendants().values()].find((process) => productProcess(process) === 'signer').pid;
}
