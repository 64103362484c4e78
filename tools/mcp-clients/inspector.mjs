// The command line of the MCP Inspector, which connects for each call. It needs a newer Node than the wallet.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root, run } from '../running/process.mjs';

// It pins vite 8.3: later ones name an optional package that npm does not have, which `npm ci` takes for a stale lock.
const MANIFEST = path.join(import.meta.dirname, 'inspector');
const LOCK = path.join(MANIFEST, 'package-lock.json');
const PROGRAM = path.join('@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');

/** Node.js that the inspector needs. */
const OLDEST = [22, 19];
/** Exit code for a tool that reports a failure, which is a result like any other. */
const TOOL_FAILED = 5;
const LIMIT_MS = 60_000;
const LARGEST_OUTPUT_BYTES = 16 * 1_024 * 1_024;
/** Key that results of the modern revision alone carry. */
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** Installs the inspector with a Node.js for it, checked by hash, unless it is there. @returns its packages */
async function installInspector() {
  const wanted = createHash('sha256').update(readFileSync(LOCK)).digest('hex').slice(0, 16);
  const folder = path.join(root, 'node_modules', '.cache', `mcp-inspector-${wanted}`);
  const packages = path.join(folder, 'node_modules');
  const mark = path.join(folder, 'complete');
  if (existsSync(mark)) return packages;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.dirname(folder), { recursive: true });
  cpSync(MANIFEST, folder, { recursive: true });
  const command = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await run(command, { capture: true, cwd: folder });
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${output}`);
  writeFileSync(mark, '');
  return packages;
}

/** Returns the Node.js that runs the inspector: ours, or the installed one; undefined where both are missing. */
function findNode(packages) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return process.execPath;
  const file = path.join(packages, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  return existsSync(file) ? file : undefined;
}

/** Installs what the inspector needs. @returns why it cannot run here, if so */
export async function reasonWithoutInspector() {
  if (findNode(await installInspector())) return undefined;
  const here = `${process.platform}-${process.arch}`;
  return `it needs Node.js ${OLDEST.join('.')}, this is ${process.versions.node}, and npm has no pinned one for ${here}`;
}

/** Writes the configuration of the inspector, and lists the tools. @param era `modern` or `legacy` */
export async function connectInspector({ api, token, folder }, era) {
  const packages = await installInspector();
  const home = await mkdtemp(path.join(folder, 'inspector-'));
  const config = path.join(home, 'mcp.json');
  const headers = { Authorization: `Bearer ${token}` };
  const wallet = { type: 'streamable-http', url: `${api}/mcp`, headers, protocolEra: era };
  await writeFile(config, JSON.stringify({ mcpServers: { wallet } }));
  // A refused token must fail, and not open a browser for another.
  const start = [path.join(packages, PROGRAM), '--cli', '--config', config, '--server', 'wallet', '--stored-auth-only'];
  // It keeps its state in the home folder, and secrets in a keychain unless it is forbidden.
  const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  const ask = (...args) => output(findNode(packages), [...start, ...args], env);
  const { tools } = await ask('--method', 'tools/list');
  let eraOfResults;
  const client = {
    tools: tools.map(({ name }) => name),
    get era() {
      return eraOfResults;
    },
    call: async (name, given) => {
      const pairs = Object.entries(given).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
      const result = await ask('--method', 'tools/call', '--tool-name', name, ...pairs);
      eraOfResults = result._meta?.[SERVER_INFO] ? 'modern' : 'legacy';
      return result;
    },
  };
  await client.call('get_wallet', {});
  return client;
}

/** Runs the inspector. @returns the JSON that it printed */
function output(node, args, env) {
  return new Promise((resolve, reject) => {
    const options = { env, cwd: env.HOME, timeout: LIMIT_MS, maxBuffer: LARGEST_OUTPUT_BYTES };
    execFile(node, args, options, (error, stdout, stderr) => {
      if (!error || error.code === TOOL_FAILED) resolve(JSON.parse(stdout));
      // Its last line says why; those before it are about keychains.
      else
        reject(new Error(`The inspector failed (${error.code ?? error.signal}): ${stderr.trim().split('\n').at(-1)}`));
    });
  });
}
