// Benchmark: a signature of the signer against a bare signature and a bare call, with many keys and with ten times as many.
import { Checks } from '../measuring/checks.mjs';
import { openGrpcHop } from './bare/grpc.mjs';
import { cpuRound, descendants, productProcess } from './measure/cpu.mjs';
import { closedLoop } from './measure/load.mjs';
import { memoryOf } from './measure/memory.mjs';
import { counted, figure, inPairs, median } from './measure/pairs.mjs';
import { processTable } from './report.mjs';
import { openBareSigning, ProductSigning } from './traffic/signing.mjs';
import { startDeployment } from './world.mjs';

const CALLERS = 32;
const LONG = { few: 1_000, many: 10_000, warmUpCalls: 20_000, roundMs: 4_000 };
const QUICK = { few: 200, many: 2_000, warmUpCalls: 2_000, roundMs: 1_500 };
/** Nothing that was opened is kept: each signature reads its key, and unseals it. */
const NOTHING_KEPT = { SIGNER_MAX_OPEN_KEYS: '1', SIGNER_OPEN_KEY_TTL_SECONDS: '0' };
const REFUSAL = 'SIGNING_REFUSED permit_message_hash';

/** CPU of both ends and of Postgres, over mutual TLS, all keys in turn; how fast keys are made, and what they take. */
export async function measure({ pairs, isQuick }) {
  const times = isQuick ? QUICK : LONG;
  const deployment = await startDeployment({ environment: NOTHING_KEPT });
  const signing = await ProductSigning.open(deployment);
  const hop = await openGrpcHop(deployment.infrastructure.certificates);
  const ground = { deployment, signing, times, pairs, limit: bareRound(hop, times.roundMs) };
  const made = [await signing.grow(times.few, CALLERS)];
  const checks = new Checks();
  signing.permit();
  checks.equal('a permit for another message is refused', await signing.refusal(), REFUSAL);
  const few = await compareSigning(ground);
  made.push(await signing.grow(times.many, CALLERS));
  const many = await compareSigning(ground);
  const { signed, bad } = signing.verified();
  checks.equal('keys that signed', signed, times.many);
  checks.equal('signatures that do not verify, or differ for the same message', bad, 0);
  return {
    notes: `${CALLERS} callers, all keys in turn, ${pairs} pairs; permit verified, message decoded, checked, countersigned`,
    figures: figuresOf({ few, many, made, times }),
    tables: [processTable(many.productRounds, 'a signature, nothing kept')],
    checks: checks.all,
  };
}

function figuresOf({ few, many, made, times }) {
  const unit = 'µs of CPU';
  const flat = { ...many, limit: few.product, product: many.product, ratio: many.ratio / few.ratio };
  const aim = { atMost: 2.5 };
  const ofKeys = ({ productRounds, memoryMib }, keys, keysMade) => [
    counted(`keys made, up to ${keys}`, Math.round(keysMade), { unit: 'a second' }),
    counted(
      `signatures, ${keys} keys, nothing kept`,
      Math.round(median(productRounds.map(({ ratePerSecond }) => ratePerSecond))),
      { unit: 'a second' },
    ),
    counted(`memory of the signer, ${keys} keys`, Math.round(memoryMib), { unit: 'MiB' }),
  ];
  return [
    figure(`a signature against node:crypto and a bare call, ${times.few} keys`, few, { unit, aim }),
    figure(`the same with ${times.many} keys`, many, { unit, aim }),
    figure(`${times.many} keys against ${times.few}`, flat, { unit, aim: { atMost: 1.1 } }),
    ...ofKeys(few, times.few, made[0]),
    ...ofKeys(many, times.many, made[1]),
  ];
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
  const signer = [...descendants().values()].find((process) => productProcess(process) === 'signer');
  return { ...measured, memoryMib: memoryOf([signer.pid]).rss };
}

/** The signer, and the Postgres that works for it. */
function signerProcess(process) {
  const name = productProcess(process);
  return name === 'signer' || name === 'postgres for signer' ? name : undefined;
}
