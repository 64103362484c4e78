// Every service is restarted, one after the other, while agents act.
import { setTimeout as sleep } from 'node:timers/promises';
import { underLoad } from './load.mjs';
import { nameOf, SERVICES } from './services.mjs';
import { nothingIn } from './table.mjs';

const SETTLE_MS = 5_000;
const GONE_WITHIN_MS = 90_000;
const POLL_EVERY_MS = 1_000;

/** Restarts them and adds the rows. */
export async function rollOut(test) {
  const { options } = test;
  const wanted = options.services ?? SERVICES;
  await underLoad(test, { when: 'rolling restart', seed: options.seed, mayLose: false }, async (load) => {
    await sleep(SETTLE_MS);
    for (const name of wanted) await restart(test, load, name);
    await sleep(SETTLE_MS);
  });
}

async function restart({ cluster, table }, load, name) {
  await table.check(`rolling restart: ${name}`, async () => {
    const old = (await cluster.pods(`app.kubernetes.io/name=${name},app.kubernetes.io/component=service`)).filter(
      (pod) => nameOf(pod) === name,
    );
    const lostBefore = load.lost.length;
    await cluster.kubectl(['rollout', 'restart', `deployment/${name}`]);
    await cluster.kubectl(['rollout', 'status', `deployment/${name}`, '--timeout=300s']);
    const ends = await Promise.all(old.map((pod) => endOf(cluster, pod.metadata.name)));
    const wrong = ends.filter(({ exitCode }) => exitCode !== 0).map(({ exitCode }) => `one ended with ${exitCode}`);
    const lost = load.lost.slice(lostBefore).map(({ what, why }) => `lost: ${what}: ${why}`);
    const slowest = Math.max(...ends.map(({ seconds }) => seconds));
    return nothingIn(
      [...wrong, ...lost],
      `${old.length} replaced, each ended with 0 within ${slowest} s; nothing lost`,
    );
  });
}

/** How a pod that is being replaced ended. */
async function endOf(cluster, name) {
  const untilMs = performance.now() + GONE_WITHIN_MS;
  while (!cluster.watch.pods.get(name)?.isGone) {
    if (performance.now() > untilMs) throw new Error(`${name} is still there`);
    await sleep(POLL_EVERY_MS);
  }
  return cluster.watch.howItEnded(name);
}
