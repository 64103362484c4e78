import { MINT_SIZE, MintLayout, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Connection, type Keypair, type PublicKey } from '@solana/web3.js';
import { eventually, freePort } from '@agent-wallet/testing';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Name of the program; `VALIDATOR` names another one. */
const PROGRAM = process.env['VALIDATOR'] || 'solana-test-validator';

/** Returns the version of the validator on this machine; undefined where there is none. */
export function validatorVersion(): string | undefined {
  try {
    return execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** A real validator of one node on this machine, with a chain of its own. */
export class Validator {
  #process: ChildProcess | undefined;
  /** The newest confirmed slot when the node was ended last. */
  #reachedSlot = 0;

  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly connection: Connection;

  private constructor(
    private readonly directory: string,
    port: number,
    private readonly options: readonly string[],
  ) {
    this.rpcUrl = `http://127.0.0.1:${port}`;
    // The WebSocket has the port after that of RPC.
    this.wsUrl = `ws://127.0.0.1:${port + 1}`;
    this.connection = new Connection(this.rpcUrl, 'confirmed');
  }

  /** Starts a chain on which an authority has all SOL, and may mint a token of six decimals at a given address. */
  static async start(authority: Keypair, token: PublicKey): Promise<Validator> {
    const directory = await mkdtemp(path.join(tmpdir(), 'validator-'));
    const file = path.join(directory, 'token.json');
    await writeFile(file, mintAccount(token, authority.publicKey));
    const port = await freePortBeforeFree();
    const options = [
      ...['--ledger', path.join(directory, 'ledger'), '--bind-address', '127.0.0.1', '--quiet'],
      ...['--rpc-port', String(port), '--faucet-port', String(await freePort())],
      ...[
        '--mint',
        authority.publicKey.toBase58(),
        '--account',
        token.toBase58(),
        file,
        '--limit-ledger-size',
        '50000',
      ],
    ];
    const validator = new Validator(directory, port, options);
    await validator.run();
    return validator;
  }

  /** Runs the node, again after it ended; resolves once it is as far as it was. It begins with the last final slot. */
  async run(): Promise<void> {
    this.#process = spawn(PROGRAM, this.options, { stdio: 'ignore' });
    await eventually(
      async () => {
        if (this.#process?.exitCode !== null) throw new Error('the validator ended');
        return Promise.all([this.connection.getSlot('finalized'), this.connection.getSlot('confirmed')]).catch(() => [
          0, 0,
        ]);
      },
      ([final = 0, confirmed = 0]) => final > 0 && confirmed >= this.#reachedSlot,
      120_000,
    );
  }

  /** Ends the node; its chain stays. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#reachedSlot = await this.connection.getSlot('confirmed');
    const child = this.#process!;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Ends the node and removes its chain. */
  async stop(): Promise<void> {
    // web3.js has no way to end a connection's socket, which asks for the node again and again.
    const { _rpcWebSocket: socket } = this.connection as unknown as { _rpcWebSocket: Pick<WebSocket, 'close'> };
    socket.close();
    const child = this.#process;
    if (child?.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Returns a free port whose successor is this caller's as well: the node takes it for the WebSocket. */
async function freePortBeforeFree(): Promise<number> {
  for (let port = await freePort(); ;) {
    const next = await freePort();
    if (next === port + 1) return port;
    port = next;
  }
}

/** Returns a mint's account as the validator's files have it. */
function mintAccount(address: PublicKey, authority: PublicKey): string {
  const data = Buffer.alloc(MINT_SIZE);
  const mint = {
    mintAuthorityOption: 1 as const,
    mintAuthority: authority,
    supply: 0n,
    decimals: 6,
    isInitialized: true,
  };
  MintLayout.encode({ ...mint, freezeAuthorityOption: 0, freezeAuthority: authority }, data);
  const account = {
    lamports: 1_461_600,
    data: [data.toString('base64'), 'base64'],
    owner: TOKEN_PROGRAM_ID.toBase58(),
    executable: false,
    rentEpoch: 0,
    space: data.length,
  };
  return JSON.stringify({ pubkey: address.toBase58(), account });
}
