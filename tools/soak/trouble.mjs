// What goes wrong all day.
import { setTimeout as sleep } from 'node:timers/promises';

const CHAIN_FAULTS = ['delay', 'landThenFailReply', 'lagStatus', 'error429', 'error500', 'drop'];
const EXCHANGE_FAULTS = [
  'error429',
  'error500',
  'errorAfterAccept',
  'dropAfterAccept',
  'delay',
  'partialFill',
  'lagPortfolio',
];
const PROCESSES = ['gateway', 'wallet', 'swap', 'prediction', 'policy', 'signer', 'history'];

/** Kills processes and arms faults until it is stopped; then heals everything. @returns what it did, by name */
export async function makeTrouble({ deployment, copies, random, isOver }) {
  const done = {};
  const count = (name) => (done[name] = (done[name] ?? 0) + 1);
  while (!isOver()) {
    await sleep(random.integer(1_000, 6_000));
    if (random.oneIn(2)) {
      const service = random.pick(PROCESSES);
      const name = `${service}-${random.integer(0, copies - 1)}`;
      count(`kill ${service}`);
      await deployment.kill(name);
      await sleep(random.integer(0, 3_000));
      await deployment.restart(name);
    } else {
      const [part, faults] = random.pick([
        ['chain', CHAIN_FAULTS],
        ['exchange', EXCHANGE_FAULTS],
      ]);
      const fault = random.pick(faults);
      count(`${part} ${fault}`);
      const delayMs = random.integer(200, 3_000);
      await deployment.sandbox.arm({ part, fault, times: random.integer(1, 5), delayMs });
    }
  }
  await deployment.sandbox.disarm();
  return done;
}
