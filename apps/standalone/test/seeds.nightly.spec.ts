import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentClient, SandboxClient } from '../src/index.js';
import { Copies, type Copy } from './harness/copies.js';
import { withDatabase } from './harness/data-folder.js';
import { newRecipient } from './harness/recipient.js';
import { ByteSearch, filesUnder, MemorySearch, processTree, type SeenProcess } from './harness/search-bytes.js';
import { needlesOf, openedSecrets, spellings } from './harness/seeds.js';

/** How long the signer keeps an opened key here: long enough to be found there, and to be gone in time. */
const KEEPS_OPEN_SECONDS = 10;

/** Time for a process to write its heap: 12 s on an idle core, several times that beside other processes. */
const SNAPSHOT_WITHIN_MS = 240_000;

const copies = new Copies('main');
let directory: string;
let snapshots: string;
let copy: Copy;
let agent: AgentClient;
/** When a key was used last. */
let usedAtMs: number;

beforeAll(async () => {
  [directory, snapshots] = await Promise.all([copies.dataDir(), mkdtemp(path.join(tmpdir(), 'snapshots-'))]);
  copy = await copies.start(directory, {
    LOG_LEVEL: 'trace',
    NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${snapshots}`,
    SIGNER_OPEN_KEY_TTL_SECONDS: String(KEEPS_OPEN_SECONDS),
  });
  await liveThrough();
});

afterAll(async () => {
  await copies.clean();
  await rm(snapshots, { recursive: true, force: true });
});

/** Every key signs: the agent's, the sponsor's, the treasury's and that of checkpoints. */
async function liveThrough(): Promise<void> {
  const sandbox = new SandboxClient(copy.adminUrl);
  await sandbox.setPrice({ freeze: true });
  agent = await AgentClient.logIn(copy.url, sandbox, 'agent@agents.example');
  await sandbox.faucet(agent.address, 'USDC', 100);
  const to = newRecipient();
  expect((await agent.transfer({ to, amount: 1, mint: 'USDC' })).status).toBeLessThan(300);
  await sandbox.faucet(agent.address, 'SOL', 1);
  await agent.trade({ from: 'USDC', to: 'SOL', amount: 5 });
  await sandbox.addMarket({ ticker: 'SEEDS-1', title: 'Seen?', yesBid: 60, yesAsk: 65, size: 1_000 });
  await agent.predictions.buy({ ticker: 'SEEDS-1', side: 'yes', count: 2 });
  expect((await agent.transfer({ to, amount: 1_000_000 })).status).toBeGreaterThanOrEqual(400);
  usedAtMs = Date.now();
}

const secretsNow = () => withDatabase(directory, (database) => openedSecrets(directory, database));
const isSigner = ({ commandLine }: SeenProcess) => commandLine.includes('signer') && commandLine.includes('main.js');

async function processes(): Promise<{ signer: SeenProcess; others: SeenProcess[] }> {
  const all = await processTree(copy.child.pid!);
  const signers = all.filter(isSigner);
  expect(signers).toHaveLength(1);
  return { signer: signers[0]!, others: all.filter((each) => !isSigner(each)) };
}

describe('seeds and data keys', () => {
  it('are in no process but the signer, in no log, and in no file but for the root key', async () => {
    const secrets = await secretsNow();
    expect([...secrets.keys()].filter((what) => what.startsWith('seed')).length).toBeGreaterThanOrEqual(4);
    const search = new ByteSearch(needlesOf(secrets));
    const { signer, others } = await processes();
    const memory = new MemorySearch(search);
    // What is looked for is there to be found: the signer has just opened the agent's key.
    expect((await agent.transfer({ to: newRecipient(), amount: 0.01 })).status).toBeLessThan(300);
    usedAtMs = Date.now();
    expect((await memory.inProcess(signer.pid)).found.some((what) => what.startsWith('seed of'))).toBe(true);
    const seen = [];
    for (const { pid, commandLine } of others) {
      const { found, bytes } = await memory.inProcess(pid).catch(ended);
      seen.push({ commandLine, found, bytes });
    }
    expect(seen.filter(({ found }) => found.length > 0)).toEqual([]);
    expect(seen.some(({ commandLine, bytes }) => commandLine.includes('main.js') && bytes > 20_000_000)).toBe(true);
    expect(seen.filter(({ commandLine }) => commandLine.includes('postgres')).length).toBeGreaterThan(5);
    expect([...search.in(Buffer.from(copy.output()))]).toEqual([]);
    const files = (await filesUnder(directory)).filter((file) => !file.endsWith(path.join('vault', 'root-key')));
    expect(files.length).toBeGreaterThan(100);
    for (const file of files) {
      const found = await search.inFile(file).catch(ended);
      expect([file, 'found' in found ? [] : [...found]]).toEqual([file, []]);
    }
  });

  it('are no strings that the signer can still reach once its keys are closed', async () => {
    const secrets = await secretsNow();
    const { signer } = await processes();
    const closedAtMs = usedAtMs + (KEEPS_OPEN_SECONDS + 2) * 1_000;
    await new Promise((resolve) => setTimeout(resolve, closedAtMs - Date.now()));
    process.kill(signer.pid, 'SIGUSR2');
    const text = await eventually(
      () => snapshotOf(signer.pid),
      (snapshot) => snapshot.includes('"strings":[') && snapshot.trimEnd().endsWith('}'),
      SNAPSHOT_WITHIN_MS,
    );
    const seen = [...secrets].flatMap(([what, secret]) =>
      [...spellings(secret)].flatMap(([form, written]) => (text.includes(written) ? [`${what}, ${form}`] : [])),
    );
    expect(seen).toEqual([]);
    // What is looked for would be there to be found: other texts of the process are.
    expect(text).toContain('SIGNER_OPEN_KEY_TTL_SECONDS');
  });
});

/** A process, or a file, may end while it is read. @throws every other error */
function ended(error: NodeJS.ErrnoException): { found: string[]; bytes: number } {
  if (error.code === 'ENOENT' || error.code === 'ESRCH') return { found: [], bytes: 0 };
  throw error;
}

/** What of a snapshot is there; nothing while it is being written. */
async function snapshotOf(pid: number): Promise<string> {
  const name = (await readdir(snapshots)).find((found) => found.includes(`.${pid}.`));
  if (name === undefined) return '';
  const file = path.join(snapshots, name);
  const before = (await stat(file)).size;
  await new Promise((resolve) => setTimeout(resolve, 250));
  return (await stat(file)).size === before ? readFile(file, 'utf8') : '';
}
