// What a purchase cannot do without: commits, two transactions, and an order with its fills.
import { signKalshiRequest } from '@agent-wallet/kalshi';
import { assembleTransaction, buildMessage, encodeBase58, signatureText } from '@agent-wallet/solana';
import { generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { closing } from '../measure/closing.mjs';
import { openHttpCaller } from '../measure/http-caller.mjs';
import { pour } from '../world.mjs';
import { COUNT, LIMIT, openMarkets, sideOf } from './markets.mjs';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const PREFIX = '/trade-api/v2';
const ORDERS = '/portfolio/events/orders';
const CONNECTIONS = 128;
const ERRORS_KEPT = 3;
const REQUEST = randomBytes(260);
const ESCROW_RAW = 600_000;
const REFUND_RAW = 60_000;

/** Buys with nothing between itself and database, chain and exchange, and counts. */
export class BareBuyer {
  errors = 0;
  firstErrors = [];
  accepted = 0;
  #asked = 0;
  #id = 0;

  constructor({ world, wallets, treasury, tickers, database, commits }) {
    Object.assign(this, { world, wallets, treasury, tickers, database, commits });
    this.chain = closing(openHttpCaller(world.rpcUrl, CONNECTIONS), (caller) => caller.close());
    this.exchange = closing(openHttpCaller(world.exchangeUrl, CONNECTIONS), (caller) => caller.close());
  }

  /** With wallets that hold money. `commits` says how many a purchase makes. */
  static async open({ world, database, wallets: count, commits }) {
    const tickers = await openMarkets(world.sandbox);
    const [treasury, ...wallets] = Array.from({ length: count + 1 }, newWallet);
    const addresses = [treasury, ...wallets].map(({ address }) => address);
    await pour(world, addresses, 'SOL', 10);
    await pour(world, addresses, 'USDC', 10_000);
    return new BareBuyer({ world, wallets, treasury, tickers, database, commits });
  }

  /** One purchase; never throws. */
  async buy() {
    const n = (this.#asked += 1);
    try {
      await this.#bought(n);
      this.accepted += 1;
    } catch (error) {
      this.errors += 1;
      if (this.firstErrors.length < ERRORS_KEPT) this.firstErrors.push(String(error));
    }
  }

  async #bought(n) {
    const { wallets, treasury, tickers } = this;
    const [wallet, ticker] = [wallets[n % wallets.length], tickers[n % tickers.length]];
    const id = randomUUID();
    const share = Math.ceil(this.commits / 4);
    await this.#read(`/markets/${ticker}`);
    await this.#read(`/markets/${ticker}/orderbook`);
    await this.#commit(id, share);
    await this.#transfer(wallet, treasury.address, ESCROW_RAW + (n % 10_000));
    await this.#commit(id, share);
    await this.#fills(await this.#order({ id, ticker, isYes: sideOf(n) === 'yes' }));
    await this.#commit(id, share);
    await this.#transfer(treasury, wallet.address, REFUND_RAW + (n % 10_000));
    await this.#commit(id, this.commits - 3 * share);
  }

  /** Statements on one row, each committed by itself. */
  async #commit(id, times) {
    const { pool } = this.database;
    for (let i = 0; i < times; i += 1) {
      await pool.query({
        name: 'bare-commit',
        text: `insert into operations (id, agent_id, state, request, revision) values ($1, $1, 'submitted', $2, 1)
          on conflict (id) do update set revision = operations.revision + 1`,
        values: [id, REQUEST],
      });
    }
  }

  async #transfer(from, to, raw) {
    const { value } = await this.#rpc('getLatestBlockhash', [{ commitment: 'confirmed' }]);
    const token = { mint: USDC, tokenProgram: TOKEN_PROGRAM, decimals: 6, createsRecipientAccount: false, memo: '' };
    const action = { $case: 'transfer', value: { recipient: to, amount: BigInt(raw), ...token } };
    const message = buildMessage({ intent: { wallet: from.address, action }, blockhash: value.blockhash });
    const signature = sign(null, message, from.key);
    const bytes = Buffer.from(assembleTransaction(message, [signature])).toString('base64');
    await this.#rpc('sendTransaction', [bytes, { encoding: 'base64', skipPreflight: true, maxRetries: 0 }]);
    const {
      value: [found],
    } = await this.#rpc('getSignatureStatuses', [[signatureText(signature)]]);
    if (!found || found.err !== null) throw new Error(`a transfer did not land: ${JSON.stringify(found)}`);
  }

  async #rpc(method, params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: (this.#id += 1), method, params });
    const { result, error } = JSON.parse((await this.chain.post('/', body)).text);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async #order({ id, ticker, isYes }) {
    const body = JSON.stringify({
      ...{ ticker, client_order_id: id, count: String(COUNT), time_in_force: 'immediate_or_cancel' },
      ...{ side: isYes ? 'bid' : 'ask', price: isYes ? LIMIT : (1 - Number(LIMIT)).toFixed(4) },
      self_trade_prevention_type: 'taker_at_cross',
    });
    const { status, text } = await this.exchange.post(PREFIX + ORDERS, body, this.#signed('POST', ORDERS));
    if (status !== 201) throw new Error(`an order was answered with ${status} ${text}`);
    return JSON.parse(text).order_id;
  }

  async #fills(orderId) {
    const path = '/portfolio/fills';
    const headers = this.#signed('GET', path);
    const { text } = await this.exchange.get(`${PREFIX}${path}?order_id=${orderId}`, headers);
    const filled = JSON.parse(text).fills?.reduce((sum, { count_fp: count }) => sum + Number(count), 0);
    if (filled !== COUNT) throw new Error(`an order was filled for ${filled}: ${text}`);
  }

  async #read(path) {
    const { status, text } = await this.exchange.get(PREFIX + path);
    if (status !== 200) throw new Error(`${path} was answered with ${status} ${text}`);
    JSON.parse(text);
  }

  #signed(method, path) {
    return signKalshiRequest(this.world.key, { method, path: PREFIX + path, timestampMs: Date.now() });
  }
}

function newWallet() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  return { key: privateKey, address: encodeBase58(Buffer.from(x, 'base64url')) };
}
