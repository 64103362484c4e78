import { addressBytes, addressOf, encodeBase58, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Deployment } from './deployment.js';

/** A token to make. */
export interface TokenOrder {
  readonly symbol: string;
  readonly decimals: number;
  readonly program: 'token' | 'token-2022';
  readonly usd: string;
}

/** PKCS#8 prefix of an Ed25519 seed. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SET_AUTHORITY = 6;
const FREEZE_ACCOUNT = 10;

/**
 * Tokens that are verified, and that can be minted no more: the sandbox makes none by itself. Its aggregator is asked over
 * a server of the test, which vouches for them.
 */
export class SafeTokens {
  readonly #verified = new Set<string>();
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.writeHead(502).end());
  });
  #aggregatorUrl = '';

  private constructor(private readonly deployment: Deployment) {}

  /** Lets the wallet service of a deployment ask over the server. */
  static async open(deployment: Deployment): Promise<SafeTokens> {
    const tokens = new SafeTokens(deployment);
    tokens.#aggregatorUrl = deployment.environmentOf('wallet-0')['JUPITER_BASE_URL']!;
    await new Promise<void>((resolve) => tokens.#server.listen(0, '127.0.0.1', resolve));
    const { port } = tokens.#server.address() as AddressInfo;
    await deployment.kill('wallet-0');
    await deployment.restart('wallet-0', { JUPITER_BASE_URL: `http://127.0.0.1:${port}` });
    return tokens;
  }

  /** Makes a token whose mint has no authority left; returns its mint. */
  async make(order: TokenOrder, isVerified = true): Promise<string> {
    const mint = await this.deployment.sandbox.createMint({ ...order });
    await this.#giveUpMinting(mint, order.program === 'token' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM);
    if (isVerified) this.#verified.add(mint);
    return mint;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer({ url, method, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = headers['x-api-key'];
    const asked = await fetch(this.#aggregatorUrl + url!, {
      method: method ?? 'GET',
      headers: typeof key === 'string' ? { 'x-api-key': key } : {},
    });
    const text = await asked.text();
    const isSearch = asked.ok && url!.includes('/tokens/v2/search');
    response.writeHead(asked.status, { 'content-type': 'application/json' }).end(isSearch ? this.#vouched(text) : text);
  }

  #vouched(text: string): string {
    const found = JSON.parse(text) as ReadonlyArray<{ readonly id: string }>;
    return JSON.stringify(
      found.map((token) => (this.#verified.has(token.id) ? { ...token, isVerified: true } : token)),
    );
  }

  /** Sends a SetAuthority of the sandbox's own authority over the mint. */
  #giveUpMinting(mint: string, program: string): Promise<void> {
    return this.#sendAsAuthority(program, { writable: mint, data: [SET_AUTHORITY, 0, 0] });
  }

  /** Freezes an account of a token that its issuer can freeze. */
  freeze(mint: string, account: string): Promise<void> {
    return this.#sendAsAuthority(TOKEN_PROGRAM, { writable: account, readonly: mint, data: [FREEZE_ACCOUNT] });
  }

  /** Sends an instruction of the sandbox's own authority over mints, whose key follows from the sandbox's seed. */
  async #sendAsAuthority(
    program: string,
    { writable, readonly, data }: { writable: string; readonly?: string; data: readonly number[] },
  ): Promise<void> {
    const { seed } = JSON.parse(await readFile(this.#genesisFile, 'utf8')) as { readonly seed: string };
    const [payer, authority] = [keyOf(seed, 'faucet'), keyOf(seed, 'mint authority')];
    const { value } = (await this.#rpc('getLatestBlockhash', [])) as { value: { blockhash: string } };
    const named = readonly === undefined ? [] : [readonly];
    const keys = [payer.address, authority.address, writable, ...named, program].map(addressBytes);
    const accounts = [2, ...named.map(() => 3), 1];
    const message = Buffer.concat([
      Buffer.from([2, 1, 1 + named.length, keys.length]),
      ...keys,
      addressBytes(value.blockhash),
      Buffer.from([1, keys.length - 1, accounts.length, ...accounts, data.length, ...data]),
    ]);
    const signatures = [payer, authority].map((key) => sign(null, message, key.privateKey));
    const bytes = Buffer.concat([Buffer.from([signatures.length]), ...signatures, message]);
    await this.#rpc('sendTransaction', [encodeBase58(bytes), { encoding: 'base58' }]);
  }

  get #genesisFile(): string {
    const crashFile = this.deployment.environmentOf('wallet-0')['TEST_CRASH_AT_PATH']!;
    return path.join(path.dirname(crashFile), 'sandbox', 'genesis.json');
  }

  async #rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(this.deployment.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { readonly result?: unknown; readonly error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
}

function keyOf(seed: string, name: string) {
  const secret = createHash('sha256').update(Buffer.from(seed, 'hex')).update(name).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  const bytes = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return { privateKey, address: addressOf(bytes) };
}
