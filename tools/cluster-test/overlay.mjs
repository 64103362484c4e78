// The sandbox overlay, from nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady, nameOf, REPLICAS } from './services.mjs';
import { nothingIn } from './table.mjs';
import { apply, trialPolicies } from './trial-pods.mjs';

const OVERLAY = 'k8s/overlays/sandbox';
const READY_WITHIN_MS = 600_000;
const POLL_EVERY_MS = 2_000;
const REPORT_EVERY_MS = 15_000;

/** The load asks for more than people do. */
const NO_LIMITS = [
  'RATE_LIMIT_IP_PER_MINUTE=1000000',
  'RATE_LIMIT_AGENT_PER_MINUTE=1000000',
  'MAX_CONNECTIONS_PER_NETWORK=10000',
];

/** Applies it to a cluster that has none, and waits until everything is ready. */
export async function applyOverlay({ cluster, table, options }) {
  const isThere = (await cluster.get(`/api/v1/namespaces/${cluster.namespace}`)) !== undefined;
  if (isThere && !options.keep) {
    throw new Error(
      `there is a namespace ${cluster.namespace}: remove it with "down", or test what is there with --keep`,
    );
  }
  await table.check(`${OVERLAY} is applied${isThere ? ' once more' : ' from nothing'}, without a warning`, async () => {
    const { stdout, stderr } = await cluster.kubectl(['apply', '-k', OVERLAY]);
    return nothingIn(
      stderr.split('\n').filter((line) => line.trim() !== ''),
      `${stdout.trim().split('\n').length} objects`,
    );
  });
  await table.check('all pods ready, all jobs done', () => untilReady(cluster));
  const replicas = await countReplicas(cluster);
  const wrong = Object.entries(REPLICAS).filter(([name, count]) => replicas[name] !== count);
  table.add('two replicas of gateway, wallet, policy and signer, one of the rest', {
    ok: wrong.length === 0,
    seen: Object.entries(replicas)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
  });
}

async function untilReady(cluster) {
  const startedAtMs = performance.now();
  let reportedAtMs = startedAtMs;
  for (;;) {
    const waiting = await notReady(cluster);
    if (waiting.length === 0) break;
    const nowMs = performance.now();
    if (nowMs - startedAtMs > READY_WITHIN_MS) return nothingIn(waiting, '');
    if (nowMs - reportedAtMs > REPORT_EVERY_MS) {
      reportedAtMs = nowMs;
      console.log(`        … waiting for ${waiting.join(', ')}`);
    }
    await sleep(POLL_EVERY_MS);
  }
  const pods = (await cluster.pods()).filter(isReady);
  const restarts = pods
    .flatMap(({ status }) => status.containerStatuses)
    .reduce((sum, each) => sum + each.restartCount, 0);
  return { ok: true, seen: `${pods.length} pods, ${restarts} restarts on the way` };
}

/** What is not as it was asked for: deployments and jobs. */
export async function notReady(cluster) {
  const [deployments, jobs] = await Promise.all([
    cluster.list(`/apis/apps/v1/namespaces/${cluster.namespace}/deployments`),
    cluster.list(`/apis/batch/v1/namespaces/${cluster.namespace}/jobs`),
  ]);
  return [
    ...jobs
      .filter(({ metadata, status }) => metadata.name !== 'demo' && !status.succeeded)
      .map(({ metadata }) => `job ${metadata.name}`),
    ...deployments.filter((each) => !isRolledOut(each)).map(({ metadata }) => metadata.name),
  ];
}

function isRolledOut({ metadata, spec, status }) {
  const { observedGeneration, updatedReplicas = 0, readyReplicas = 0, replicas = 0 } = status;
  const isSeen = observedGeneration === metadata.generation;
  return isSeen && updatedReplicas === spec.replicas && readyReplicas === spec.replicas && replicas === spec.replicas;
}

async function countReplicas(cluster) {
  const ready = (await cluster.pods('app.kubernetes.io/component=service')).filter(isReady).map(nameOf);
  return Object.fromEntries(Object.keys(REPLICAS).map((name) => [name, ready.filter((each) => each === name).length]));
}

/** Lets the test's own pods reach what agents reach, and as often as they like. */
export async function openForTrials(cluster) {
  await apply(cluster, trialPolicies());
  await cluster.kubectl(['set', 'env', 'deployment/gateway', ...NO_LIMITS]);
  await cluster.kubectl(['rollout', 'status', 'deployment/gateway', '--timeout=300s']);
}

/** Removes everything that the test has made. */
export async function takeDown({ cluster, table }) {
  await table.check('everything is removed', async () => {
    const namespaces = [cluster.namespace, `${cluster.namespace}-stranger`];
    await cluster.kubectl(['delete', 'namespace', ...namespaces, '--ignore-not-found', '--wait', '--timeout=300s']);
    return { ok: true, seen: namespaces.join(', ') };
  });
}
