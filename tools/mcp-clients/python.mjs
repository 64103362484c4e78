// The official client in Python, as a program that takes calls by its input.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { closing } from '../measuring/closing.mjs';
import { installPackages } from '../python/packages.mjs';

const REQUIREMENTS = path.join(import.meta.dirname, 'requirements.txt');
const PROGRAM = path.join(import.meta.dirname, 'tasks.py');

/** Installs the client. @returns the folder of its programs */
export function installPython() {
  return installPackages('mcp-clients', REQUIREMENTS);
}

/** Starts the program, which connects. */
export async function connectPython({ api, token }) {
  const python = path.join(await installPython(), 'python');
  const child = spawn(python, [PROGRAM], {
    env: { ...process.env, API: api, TOKEN: token },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  closing(child, (each) => {
    each.stdin.end();
    each.kill();
    return ended;
  });
  // A program that has ended takes no calls. Its output ends too, which is the failure that is reported.
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('The program has ended.');
    return JSON.parse(value);
  };
  const { era, tools } = await read();
  return {
    era,
    tools,
    call: (tool, given) => {
      child.stdin.write(`${JSON.stringify({ tool, arguments: given })}\n`);
      return read();
    },
  };
}
