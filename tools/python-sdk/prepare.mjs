// The Python SDK, ready to run: its packages and its generated sources.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { installPackages } from '../python/packages.mjs';
import { root, run } from '../running/process.mjs';

export const SDK = path.join(root, 'clients', 'python');

const GENERATORS = ['generate_types.py', 'generate_async.py'];
const TOOLS = path.join(SDK, 'src', 'agent_wallet', '_generated_tools.json');

/**
 * Installs the packages of the SDK and its checks, and generates the SDK's sources from the gateway's document.
 * @returns {Promise<string>} the folder of the packages' programs
 */
export async function prepareSdk() {
  const programs = await installPackages('python-sdk', path.join(import.meta.dirname, 'requirements.txt'));
  await succeed([process.execPath, 'tools/build.mjs']);
  const { ROUTES, agentRoutes, modelTools, openApiDocument } = await import('@agent-wallet/gateway/documents');
  const served = openApiDocument(agentRoutes(ROUTES), { publicUrl: 'http://localhost:8080', network: 'sandbox' });
  const document = JSON.stringify(served);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'python-sdk-'));
  try {
    const file = path.join(folder, 'openapi.json');
    await writeFile(file, document);
    for (const generator of GENERATORS) await succeed([path.join(programs, 'python'), generator, file], SDK);
  } finally {
    await rm(folder, { recursive: true });
  }
  await writeFile(TOOLS, JSON.stringify(modelTools(agentRoutes(ROUTES)), null, 1) + '\n');
  return programs;
}

async function succeed(command, cwd = root) {
  const { code } = await run(command, { cwd });
  if (code !== 0) throw new Error(`${command.join(' ')} failed.`);
}
