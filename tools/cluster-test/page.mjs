// The page of the docs that keeps the last result.
import { writeFile } from 'node:fs/promises';

const HEAD = `# Test in a cluster

\`npm run cluster-test\` applies the sandbox overlay to a real Kubernetes and checks it. This page is the last complete run;
\`npm run cluster-test -- --help\` describes each stage. Pods end in three ways: _evict_ uses the Eviction API, _erase_ deletes without a
grace period, _kill_ is a SIGKILL by the container runtime.
`;

/** Writes date, commit, versions and the table. `command` is what was run. */
export async function writePage(file, page) {
  await writeFile(file, pageOf(page));
}

/** The page. */
export function pageOf({ table, versions, command, at, measured }) {
  const facts = Object.entries(versions).map(([name, version]) => `- ${name}: ${version}`);
  const failed = table.rows.filter(({ ok }) => !ok).length;
  const sum = `${table.rows.length} checks, ${failed === 0 ? 'none failed' : `**${failed} failed**`}.`;
  const day = at.toISOString().slice(0, 10);
  return `${HEAD}\n## ${day}\n\n${measured}\n\n\`${command}\`\n\n${facts.join('\n')}\n\n${sum}\n\n${table}\n`;
}

/** What the cluster is. */
export async function versionsOf(cluster) {
  const { gitVersion } = await cluster.get('/version');
  const nodes = await cluster.list('/api/v1/nodes');
  const { containerRuntimeVersion, osImage } = nodes[0].status.nodeInfo;
  const { cpu, memory } = nodes[0].status.capacity;
  const size = `${cpu} cores, ${Math.round(Number.parseInt(memory, 10) / 1024 ** 2)} GB`;
  return {
    Kubernetes: `${gitVersion}, ${containerRuntimeVersion}, ${osImage}`,
    Nodes: `${nodes.length}, ${size}`,
  };
}
