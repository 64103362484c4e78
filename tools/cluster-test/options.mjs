// What the test can be asked for.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { SERVICES } from './services.mjs';

/** In the order in which they run. */
export const STAGES = ['images', 'up', 'smoke', 'network', 'demo', 'rollout', 'trouble', 'logs'];

export const HELP = `Usage: npm run cluster-test -- [stage …] [options]

Brings the sandbox overlay up in the Kubernetes that kubectl reaches (KUBECONFIG), and tries everything that is said of it.
Prints a table; exits with 1 when a check fails. The images agent-wallet:dev and agent-wallet-sandbox:dev must be there for
the cluster's nodes, or be made by --build.

Stages, all of them in this order when none is named:
  images    makes the images, with --build
  up        applies k8s/overlays/sandbox from nothing; no warning, all pods ready, replicas
  smoke     the service image under restrictions, its size, its end by SIGTERM
  network   every edge of the picture opens, everything else times out
  demo      one agent's day through the gateway
  rollout   every service is restarted under load: nothing is lost, nothing done twice
  trouble   pods are evicted and killed at random under load: every operation has one effect
  logs      no secret in any log of any pod since the test began
  down      removes what the test has made (only when it is named)

Options:
  --build COMMAND       makes an image; {image} and {target} are filled in, the working directory is the workspace's root
  --kill-command COMMAND  kills a container outright; {container} is its id. Without it pods are deleted without grace
  --skip STAGE          leaves a stage out; may be given several times
  --keep                accepts a namespace that exists already: applies its contents once more and tests them
  --down                removes everything at the end, also after a failure
  --agents N            agents that act at once (default 8)
  --pause-ms N          between two requests of an agent, on average (default 250)
  --kill-seconds N      how long pods are evicted and killed (default 300)
  --service NAME        restarts this one only; may be given several times
  --seed N              repeats the choices of a run (printed by each; the machine's timing stays its own)
  --logs FOLDER         where logs of pods are kept (default: a new temporary folder, which is printed)
  --write FILE          writes the result as a page, such as docs/cluster-test.md
  --help                this text`;

const INTEGERS = { agents: '8', 'pause-ms': '250', 'kill-seconds': '300' };

/** Reads the command line. @throws TypeError that says what is wrong with it */
export function readOptions(args) {
  const integers = Object.entries({ ...INTEGERS, seed: String(randomInt(2 ** 31 - 1)) });
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(integers.map(([name, value]) => [name, { type: 'string', default: value }])),
      ...Object.fromEntries(['build', 'kill-command', 'write', 'logs'].map((name) => [name, { type: 'string' }])),
      ...Object.fromEntries(['keep', 'down'].map((name) => [name, { type: 'boolean', default: false }])),
      skip: { type: 'string', multiple: true, default: [] },
      service: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const known = [...STAGES, 'down'];
  for (const stage of [...positionals, ...values.skip]) {
    if (!known.includes(stage)) throw new TypeError(`there is no stage ${stage}: ${known.join(', ')}`);
  }
  for (const name of values.service ?? []) {
    if (!SERVICES.includes(name)) throw new TypeError(`there is no service ${name}: ${SERVICES.join(', ')}`);
  }
  for (const [name] of integers) {
    if (!/^\d+$/.test(values[name])) throw new TypeError(`--${name} must be a number`);
    values[name] = Number(values[name]);
  }
  const wanted = positionals.length > 0 ? positionals : STAGES;
  const stages = STAGES.filter((stage) => wanted.includes(stage) && !values.skip.includes(stage));
  return { ...values, services: values.service, stages, down: values.down || positionals.includes('down') };
}
