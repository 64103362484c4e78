// CPU profiles of running Node processes, through the inspector that each of them opens when it is asked to.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

/** Where a process opens it unless told otherwise. One at a time, therefore. */
const ADDRESS = 'http://127.0.0.1:9229/json/list';
const PATIENCE_MS = 10_000;
const POLL_MS = 50;
const SAMPLE_EVERY_US = 500;

/** Profiles a process while `work` goes on; resolves to the profile as DevTools reads it. */
export async function profileProcess(pid, work) {
  process._debugProcess(pid);
  const inspector = await inspectorOf(pid);
  try {
    await inspector.ask('Profiler.enable');
    await inspector.ask('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
    await inspector.ask('Profiler.start');
    await work();
    return (await inspector.ask('Profiler.stop')).profile;
  } finally {
    // Frees the port for the next process. It waits for us to go first, so nobody waits for its answer.
    await inspector.evaluate(`setImmediate(() => process.getBuiltinModule('inspector').close())`);
    inspector.leave();
  }
}

/** The process before may not have let go of the port yet. */
async function inspectorOf(pid) {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (performance.now() < deadlineMs) {
    const targets = await fetch(ADDRESS).then(
      (answer) => answer.json(),
      () => [],
    );
    const inspector = targets[0] && (await connect(targets[0].webSocketDebuggerUrl).catch(() => undefined));
    if (inspector && (await inspector.evaluate('process.pid')) === pid) return inspector;
    inspector?.leave();
    await sleep(POLL_MS);
  }
  throw new Error(`process ${pid} opened no inspector at ${ADDRESS}`);
}

async function connect(url) {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 });
  await once(socket, 'open');
  const waiting = new Map();
  socket.on('message', (data) => {
    const { id, result, error } = JSON.parse(data);
    const { resolve, reject } = waiting.get(id) ?? {};
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  });
  let lastId = 0;
  const ask = (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = (lastId += 1);
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
  const evaluate = async (expression) => (await ask('Runtime.evaluate', { expression })).result.value;
  return { ask, evaluate, leave: () => socket.terminate() };
}
