// Where a CPU profile says that the time went.
import path from 'node:path';
import { root } from '../../process.mjs';

/** What the profiler calls the time in which nothing of ours ran. */
const RESTING = new Set(['(idle)', '(root)']);

/** Shares of the busy time, by function and by package, greatest first: `[[label, share]]` each. */
export function hotSpots({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [functions, packages] = [new Map(), new Map()];
  let busy = 0;
  samples.forEach((id, i) => {
    const frame = frames.get(id);
    if (RESTING.has(frame.functionName)) return;
    busy += timeDeltas[i];
    add(functions, `${frame.functionName || '(anonymous)'} ${placeOf(frame)}`.trim(), timeDeltas[i]);
    add(packages, packageOf(frame), timeDeltas[i]);
  });
  const shares = (sums) => [...sums].map(([label, us]) => [label, us / busy]).toSorted(([, a], [, b]) => b - a);
  return { functions: shares(functions), packages: shares(packages) };
}

function add(sums, label, us) {
  sums.set(label, (sums.get(label) ?? 0) + us);
}

function placeOf({ url, lineNumber }) {
  return url === '' ? '' : `${shortened(url)}:${lineNumber + 1}`;
}

/** The npm package, our project, `node` for what Node is made of, or the profiler's own word, such as garbage. */
function packageOf({ url, functionName }) {
  if (url === '') return functionName.startsWith('(') ? functionName : 'node (native)';
  if (url.startsWith('node:'))
    return `node:${
      url
        .slice('node:'.length)
        .replace(/^internal\//, '')
        .split('/')[0]
    }`;
  const place = shortened(url);
  return /^(?:@[^/]+\/)?[^/]+/
    .exec(place.startsWith('apps/') || place.startsWith('libs/') ? place.replace('/', ':') : place)[0]
    .replace(':', '/');
}

function shortened(url) {
  const file = url.startsWith('file:') ? path.relative(root, new URL(url).pathname) : url;
  return file.replace(/^.*node_modules\//, '');
}
