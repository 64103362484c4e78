// Whether the network lets through what the picture shows, and nothing else.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { edgesOf, GRPC_PORT } from './edges.mjs';
import { isReady, nameOf, SERVICES } from './services.mjs';
import { nothingIn } from './table.mjs';
import { apply, startPod, trialPod, WAITING } from './trial-pods.mjs';

const WAIT_MS = 2_500;
const AT_ONCE = 3;
const HEALTH_PORT = 50052;
const METRICS_PORT = 9464;
const HTTP_PORT = 8080;
const PAGE_PORT = 8081;
const PORTS = {
  ...Object.fromEntries(SERVICES.map((name) => [name, [GRPC_PORT, HEALTH_PORT, METRICS_PORT]])),
  gateway: [GRPC_PORT, HEALTH_PORT, METRICS_PORT, HTTP_PORT],
  console: [PAGE_PORT],
  postgres: [5432],
  sandbox: [8899, 8900, 8902, 8903, 8904, 8905],
};

/** Runs in a pod: tries to connect to each `host port`, all at once, and prints what came of it. */
const PROBE = `
const net = require('node:net');
let text = '';
process.stdin.on('data', (more) => (text += more)).on('end', async () => {
  const results = await Promise.all(JSON.parse(text).map(([host, port]) => new Promise((resolve) => {
    const socket = net.connect({ host, port });
    const end = (what) => (socket.destroy(), resolve(what));
    socket.setTimeout(${WAIT_MS}, () => end('timeout'));
    socket.once('connect', () => end('open')).once('error', (error) => end(error.code));
  })));
  console.log(JSON.stringify(results));
});`;

/** @typedef {{ name: string, host: string, port: number, pod?: string }} Target */

/** Tries every pair and adds the rows. */
export async function testNetwork({ cluster, table }) {
  const stranger = await openStranger(cluster);
  let seen;
  await table.check('network: probes in every pod', async () => {
    seen = await probeAll(cluster, stranger);
    return nothingIn(
      seen.filter(({ result, isOwn }) => isOwn && result !== 'open').map(textOf),
      `${seen.length} connections tried from ${new Set(seen.map(({ pod }) => pod)).size} pods; every port listens`,
    );
  });
  if (!seen) return;
  const edges = edgesOf(await readFile(path.join(cluster.root, 'docs', 'architecture.md'), 'utf8'));
  const others = seen.filter(({ isOwn }) => !isOwn);
  const meant = others.filter((each) => isMeant(each, edges));
  const tried = new Set(meant.map(textOf));
  const untried = [...edges].filter((each) => !tried.has(each));
  const closed = meant.filter(({ result }) => result !== 'open').map((each) => `${textOf(each)} ${each.result}`);
  table.add('network: every documented call connects', {
    ...nothingIn(
      [...closed, ...untried.map((each) => `${each} was not tried`)],
      `${edges.size} of ${edges.size} edges, ${meant.length} connections between pods`,
    ),
  });
  reportClosed(table, others, edges);
}

function reportClosed(table, others, edges) {
  const unmeant = others.filter((each) => !isMeant(each, edges));
  const rowOf = (check, list) =>
    table.add(
      check,
      nothingIn(
        list.filter(({ result }) => result !== 'timeout').map((each) => `${textOf(each)} ${each.result}`),
        `${new Set(list.map(textOf)).size} pairs, ${list.length} connections, all timed out`,
      ),
    );
  const isInside = ({ from, name }) => SERVICES.includes(from) && SERVICES.includes(name);
  const isOutside = ({ from, name }) => SERVICES.includes(from) && !SERVICES.includes(name);
  rowOf('network: every other connection between services times out', unmeant.filter(isInside));
  rowOf('network: … service to database, sandbox, API server and node', unmeant.filter(isOutside));
  rowOf('network: … from postgres, sandbox, operators, unknown pods and another namespace', [
    ...unmeant.filter(({ from }) => !SERVICES.includes(from)),
  ]);
  const open = others.filter(({ from, result }) => from === 'signer' && result === 'open').map(textOf);
  const allowed = ['signer dns:53', 'signer postgres:5432'];
  table.add('network: the signer reaches its database and DNS alone', {
    ok: [...new Set(open)].sort().join() === allowed.join(),
    seen: [...new Set(open)].sort().join(', '),
  });
}

const textOf = ({ from, name, port }) => `${from} ${name}:${port}`;

/** An edge, or what is open to all. Another namespace has no policies: what lies outside ours is none of them. */
function isMeant(each, edges) {
  const { from, name, port } = each;
  if (name === 'dns' || edges.has(textOf(each))) return true;
  const isPublic = (name === 'gateway' && port === HTTP_PORT) || (name === 'console' && port === PAGE_PORT);
  return from === 'stranger' && (['kubernetes', 'kubelet'].includes(name) || isPublic);
}

/** Unknown pods: in a namespace without policies, and in ours; and one that carries the operators' name. */
async function openStranger(cluster) {
  const namespace = `${cluster.namespace}-stranger`;
  await apply(cluster, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
  const stranger = cluster.inNamespace(namespace);
  const pod = (name) => trialPod({ name, labels: { 'app.kubernetes.io/name': name }, args: WAITING, cpu: '10m' });
  await startPod(stranger, pod('stranger'));
  await startPod(cluster, pod('unknown'));
  await startPod(cluster, pod('ops'));
  return stranger;
}

async function probeAll(cluster, stranger) {
  const pods = (await cluster.pods()).filter((pod) => isReady(pod) && pod.status.phase === 'Running');
  const targets = [...pods.flatMap(targetsOf), ...(await upstreamTargets(cluster))];
  const sources = [
    ...pods
      .filter((pod) => PORTS[nameOf(pod)] || ['ops', 'unknown'].includes(nameOf(pod)))
      .map((pod) => [cluster, pod]),
    ...(await stranger.pods()).map((pod) => [stranger, pod]),
  ];
  const seen = [];
  const work = async () => {
    for (let next = sources.shift(); next; next = sources.shift()) seen.push(...(await probe(...next, targets)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return seen;
}

async function probe(where, pod, targets) {
  const input = JSON.stringify(targets.map(({ host, port }) => [host, port]));
  const container = pod.spec.containers[0].name;
  const printed = await where.exec({ pod: pod.metadata.name, container, command: ['node', '-e', PROBE], input });
  const results = JSON.parse(printed.trim().split('\n').at(-1));
  return targets.map(({ name, port, pod: target }, i) => ({
    ...{ pod: pod.metadata.name, from: nameOf(pod), name, port, result: results[i] },
    isOwn: target === pod.metadata.name,
  }));
}

/** @returns {Target[]} */
function targetsOf(pod) {
  const name = nameOf(pod);
  return (PORTS[name] ?? []).map((port) => ({ name, port, host: pod.status.podIP, pod: pod.metadata.name }));
}

/** What is there in any cluster: its API, the node's own port, and DNS. */
async function upstreamTargets(cluster) {
  const service = (namespace, name) => cluster.get(`/api/v1/namespaces/${namespace}/services/${name}`);
  const [api, dns, nodes] = await Promise.all([
    service('default', 'kubernetes'),
    service('kube-system', 'kube-dns'),
    cluster.list('/api/v1/nodes'),
  ]);
  const node = nodes[0].status.addresses.find(({ type }) => type === 'InternalIP').address;
  return [
    { name: 'kubernetes', host: api.spec.clusterIP, port: 443 },
    { name: 'kubelet', host: node, port: nodes[0].status.daemonEndpoints?.kubeletEndpoint?.Port ?? 10250 },
    { name: 'dns', host: dns.spec.clusterIP, port: 53 },
  ];
}
