// Pods are evicted and killed at random while agents act.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../soak/random.mjs';
import { spawned } from './cluster.mjs';
import { underLoad } from './load.mjs';
import { notReady } from './overlay.mjs';
import { nameOf } from './services.mjs';
import { nothingIn } from './table.mjs';

const HEAL_WITHIN_MS = 300_000;
const POLL_EVERY_MS = 2_000;
const COMMAND_LIMIT_MS = 20_000;

/** Makes trouble for as long as was asked, waits until all is well again, and adds the rows. */
export async function makeTrouble(test) {
  const { cluster, table, options } = test;
  const seconds = options['kill-seconds'];
  await underLoad(test, { when: 'trouble', seed: options.seed + 1, mayLose: true }, async () => {
    await table.check(`trouble: pods evicted and killed at random for ${seconds} s`, async () => {
      const { done, refused } = await trouble(cluster, options);
      const text = [countOf(done.map(({ way }) => way)), countOf(done.map(({ name }) => name))].join('; ');
      return { ok: done.length > 0, seen: `${text}; ${refused} evictions refused by a budget` };
    });
    await table.check('trouble: every pod is ready again', () => untilHealed(cluster));
  });
}

async function trouble(cluster, options) {
  const random = new Random(options.seed);
  const untilMs = performance.now() + options['kill-seconds'] * 1_000;
  const done = [];
  let refused = 0;
  const ways = [evict, erase, ...(options['kill-command'] ? [kill] : [])];
  while (performance.now() < untilMs) {
    await sleep(random.integer(2_000, 8_000));
    const pods = (await cluster.pods('app.kubernetes.io/component=service')).filter(isTarget);
    const pod = pods.length > 0 && random.pick(pods.sort((a, b) => a.metadata.name.localeCompare(b.metadata.name)));
    if (!pod) continue;
    const way = random.pick(ways);
    const result = await way(cluster, pod, options);
    if (result === 'refused') refused += 1;
    else done.push({ way: way.name, name: nameOf(pod) });
  }
  return { done, refused };
}

/** `a × 2, b × 1` */
function countOf(names) {
  const kinds = [...new Set(names)].sort();
  return kinds.map((kind) => `${kind} × ${names.filter((name) => name === kind).length}`).join(', ');
}

const isTarget = ({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === 'Running';

/** As a node's maintenance does, if the disruption budget lets it. */
async function evict(cluster, pod) {
  const { name, namespace } = pod.metadata;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  const { status } = await cluster.call('POST', cluster.at(`pods/${name}/eviction`), body);
  return status < 300 ? 'done' : 'refused';
}

/** Without a grace period: no time to hand anything over. */
async function erase(cluster, pod) {
  const { name } = pod.metadata;
  await cluster.kubectl(['delete', 'pod', name, '--grace-period=0', '--force', '--wait=false'], { mayFail: true });
}

/** By the operator's own command, which gets the container's id: SIGKILL, as when memory runs out. */
async function kill(cluster, pod, options) {
  const id = (pod.status.containerStatuses ?? [])[0]?.containerID?.replace(/^.*:\/\//, '');
  if (!id) return 'refused';
  const command = options['kill-command'].replaceAll('{container}', id);
  const { code } = await spawned([command], { shell: true, limitMs: COMMAND_LIMIT_MS });
  return code === 0 ? 'done' : 'refused';
}

/** Twice in a row: what was killed a moment ago is not known to be gone. */
async function untilHealed(cluster) {
  const startedAtMs = performance.now();
  for (let still = 0; ;) {
    const waiting = await notReady(cluster);
    still = waiting.length === 0 ? still + 1 : 0;
    if (still === 2) return nothingIn([], 'all deployments have their replicas');
    if (performance.now() - startedAtMs > HEAL_WITHIN_MS) return nothingIn(waiting, '');
    await sleep(POLL_EVERY_MS);
  }
}
