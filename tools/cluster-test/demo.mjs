// One agent's day, through the gateway.
import { setTimeout as sleep } from 'node:timers/promises';

const DEMO = 'k8s/jobs/demo';
const WITHIN_MS = 300_000;
const POLL_EVERY_MS = 1_000;

/** Plays the demo as a job. */
export async function playDemo({ cluster, table }) {
  await table.check(`the demo (${DEMO}) passes through the gateway`, async () => {
    await cluster.kubectl(['delete', 'job', 'demo', '--ignore-not-found', '--wait']);
    const { stderr } = await cluster.kubectl(['apply', '-k', DEMO]);
    const status = await endOfJob(cluster, 'demo');
    const lines = (await cluster.kubectl(['logs', 'job/demo'], { mayFail: true })).stdout.trim().split('\n');
    const isGood = status.succeeded === 1 && stderr.trim() === '';
    return { ok: isGood, seen: `${lines.length} lines; ${stderr.trim()}${lines.at(-1)}` };
  });
}

async function endOfJob(cluster, name) {
  const untilMs = performance.now() + WITHIN_MS;
  for (;;) {
    const { status } = await cluster.get(`/apis/batch/v1/namespaces/${cluster.namespace}/jobs/${name}`);
    if (status.succeeded || status.failed) return status;
    if (performance.now() > untilMs) throw new Error(`the job ${name} has no end`);
    await sleep(POLL_EVERY_MS);
  }
}
