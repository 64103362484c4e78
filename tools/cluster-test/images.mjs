// The images: made when that was asked for, there, small, and well-behaved under restrictions.
import { spawned } from './cluster.mjs';
import { IMAGE, isReady, SANDBOX_IMAGE } from './services.mjs';
import { apply, phaseOf, startPod, trialPod } from './trial-pods.mjs';
import { setTimeout as sleep } from 'node:timers/promises';

const BUILD_LIMIT_MS = 1_800_000;
const START_WITHIN_MS = 120_000;
const POLL_EVERY_MS = 250;
const MOST_MB = 350;

const TARGETS = [
  [IMAGE, 'service'],
  [SANDBOX_IMAGE, 'sandbox'],
];

/** Runs the command that makes an image, with `{image}` and `{target}` filled in, in the workspace's root. */
export async function buildImages({ cluster, table, options }) {
  if (!options.build) return;
  for (const [image, target] of TARGETS) {
    await table.check(`image ${image} is built`, async () => {
      const command = options.build.replaceAll('{image}', image).replaceAll('{target}', target);
      const { code, stdout, stderr } = await spawned([command], {
        ...{ shell: true, cwd: cluster.root, limitMs: BUILD_LIMIT_MS },
      });
      return { ok: code === 0, seen: code === 0 ? `--target ${target}` : `${stdout}${stderr}`.trim().slice(-500) };
    });
  }
}

/** What a container sees of itself, printed by it. */
const LOOK = `
const fs = require('node:fs');
const { spawnSync } = require('node:child_process');
const attempt = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
const status = fs.readFileSync('/proc/self/status', 'utf8');
const field = (name) => new RegExp(name + ':\\\\s*(\\\\S+)').exec(status)[1];
console.log(JSON.stringify({
  write: attempt(() => fs.writeFileSync('/app/x', '')), user: process.getuid(), capabilities: field('CapBnd'),
  newPrivileges: field('NoNewPrivs'), seccomp: field('Seccomp'), pid: process.pid,
  env: process.env.NODE_ENV, sbom: attempt(() => JSON.parse(fs.readFileSync('/app/sbom.json', 'utf8'))),
  tools: ['typescript', 'jest', 'esbuild'].filter((name) => fs.existsSync('/app/node_modules/' + name)),
  megabytes: parseInt(spawnSync('du', ['-sxm', '--exclude=/proc', '--exclude=/sys', '/']).stdout.toString(), 10),
}));`;

const EXPECTED = {
  ...{ write: 'EROFS', user: 10001, capabilities: '0000000000000000', newPrivileges: '1', seccomp: '2' },
  ...{ pid: 1, env: 'production', sbom: 'done', tools: '' },
};

/** A pod of the service image that says what it is; then a signer that is asked to end. */
export async function smokeImage({ cluster, table }) {
  await table.check('image: restricted, read-only, no capabilities, not root, Node is process 1, SBOM', async () => {
    const labels = { 'app.kubernetes.io/name': 'smoke' };
    await startPod(cluster, trialPod({ name: 'smoke', labels, args: ['-e', LOOK], image: IMAGE }));
    await phaseOf(cluster, 'smoke', ['Succeeded', 'Failed'], START_WITHIN_MS);
    const { megabytes, ...seen } = JSON.parse((await cluster.kubectl(['logs', 'smoke'])).stdout);
    const wrong = Object.entries(EXPECTED).filter(([name, value]) => String(seen[name]) !== String(value));
    const text = wrong.map(([name]) => `${name} is ${seen[name]}`).join(', ');
    table.add(`image: at most ${MOST_MB} MB`, { ok: megabytes <= MOST_MB, seen: `${megabytes} MB unpacked` });
    return { ok: wrong.length === 0, seen: text || `user ${seen.user}, writing: ${seen.write}` };
  });
  await table.check('image: SIGTERM ends a service with 0 within its grace period', () => endedByTerm(cluster));
}

/** A signer beside the others, which no service calls; deleted once it is ready, and watched until it is gone. */
async function endedByTerm(cluster) {
  const deployment = await cluster.get(`/apis/apps/v1/namespaces/${cluster.namespace}/deployments/signer`);
  const { spec } = deployment.spec.template;
  const labels = { 'app.kubernetes.io/name': 'smoke', 'app.kubernetes.io/component': 'service' };
  const name = 'smoke-signer';
  delete spec.topologySpreadConstraints;
  await cluster.kubectl(['delete', 'pod', name, '--ignore-not-found', '--wait']);
  await apply(cluster, [{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec }]);
  const untilMs = performance.now() + START_WITHIN_MS;
  while (!isReady((await cluster.get(cluster.at(`pods/${name}`))) ?? { metadata: {}, status: {} })) {
    if (performance.now() > untilMs) throw new Error('the signer did not become ready');
    await sleep(POLL_EVERY_MS);
  }
  const end = cluster.watch.endOf(name);
  await cluster.kubectl(['delete', 'pod', name]);
  const { exitCode, seconds } = await end;
  const grace = spec.terminationGracePeriodSeconds;
  return { ok: exitCode === 0 && seconds < grace, seen: `exit ${exitCode} after ${seconds} of ${grace} s` };
}
