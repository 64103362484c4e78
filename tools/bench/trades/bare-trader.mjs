// A client of the same aggregator that believes it: it signs what it is given with a key of its own.
import { encodeBase58 } from '@agent-wallet/solana';
import { Connection, Keypair, VersionedTransaction } from '@solana/web3.js';
import { URLSearchParams } from 'node:url';
import { outsideOf, pour } from '../world.mjs';
import { SLIPPAGE_BPS, tradeOf } from './turns.mjs';

const COMMITMENT = 'confirmed';
const ERRORS_KEPT = 3;
const FUNDS = { SOL: 100, USDC: 100_000 };
/** An allowance of its own: what it asks is not taken from the product's. */
const HEADERS = { 'x-api-key': 'bare-trader', 'content-type': 'application/json' };

/** Trades USDC for SOL and SOL for USDC, each until it is confirmed, and counts. */
export class BareTrader {
  errors = 0;
  firstErrors = [];
  accepted = 0;
  /** Base units by which its USDC changed, as the aggregator says. */
  usdcRaw = 0n;
  #asked = 0;
  #keypair = Keypair.generate();
  #url;

  constructor({ rpcUrl, aggregatorUrl }) {
    this.#url = `${aggregatorUrl}/swap/v2`;
    // The sandbox takes subscriptions at the same port.
    this.connection = new Connection(rpcUrl, { commitment: COMMITMENT, wsEndpoint: rpcUrl.replace('http', 'ws') });
  }

  /** With money. */
  static async open(deployment) {
    const trader = new BareTrader(outsideOf());
    for (const [token, amount] of Object.entries(FUNDS)) await pour(deployment, [trader.address], token, amount);
    return trader;
  }

  get address() {
    return this.#keypair.publicKey.toBase58();
  }

  /** One trade; never throws. */
  async send() {
    const n = (this.#asked += 1);
    try {
      const { from, to, raw } = tradeOf(n, n);
      const done = await this.#confirmed(await this.#order({ from, to, raw }));
      this.accepted += 1;
      this.usdcRaw += from.symbol === 'USDC' ? -BigInt(done.totalInputAmount) : BigInt(done.totalOutputAmount);
    } catch (error) {
      this.errors += 1;
      if (this.firstErrors.length < ERRORS_KEPT) this.firstErrors.push(String(error));
    }
  }

  /** Asks for what the product asks for. */
  #order({ from, to, raw }) {
    const query = new URLSearchParams({
      ...{ inputMint: from.mint, outputMint: to.mint, amount: String(raw), taker: this.address, swapMode: 'ExactIn' },
      ...{ slippageBps: String(SLIPPAGE_BPS), excludeRouters: 'jupiterz,dflow,okx' },
    });
    return this.#ask(`/order?${query}`);
  }

  async #confirmed({ transaction: unsigned, requestId, lastValidBlockHeight }) {
    const transaction = VersionedTransaction.deserialize(Buffer.from(unsigned, 'base64'));
    transaction.sign([this.#keypair]);
    const signedTransaction = Buffer.from(transaction.serialize()).toString('base64');
    const awaited = {
      ...{ signature: encodeBase58(transaction.signatures[0]), blockhash: transaction.message.recentBlockhash },
      lastValidBlockHeight: Number(lastValidBlockHeight),
    };
    const [done, { value }] = await Promise.all([
      this.#ask('/execute', { signedTransaction, requestId, lastValidBlockHeight }),
      this.connection.confirmTransaction(awaited, COMMITMENT),
    ]);
    if (done.code !== 0 || value.err) throw new Error(JSON.stringify({ done, err: value.err }));
    return done;
  }

  async #ask(path, body) {
    const options = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const answer = await fetch(this.#url + path, { headers: HEADERS, ...options });
    if (answer.status !== 200) throw new Error(`the aggregator answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}
