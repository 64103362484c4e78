// Clients of the same chain that do nothing but send: @solana/web3.js with a key of their own.
import { encodeBase58 } from '@agent-wallet/solana';
import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Connection, Keypair, PublicKey, Transaction, VersionedTransaction } from '@solana/web3.js';
import { URLSearchParams } from 'node:url';
import { add } from '../traffic/traffic.mjs';
import { SLIPPAGE_BPS, tradeOf } from '../traffic/trades.mjs';
import { openRecipients, outsideOf, pour } from '../world.mjs';

const USDC = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const DECIMALS = 6;
const LEAST_RAW = 10_000;
const COMMITMENT = 'confirmed';
const ERRORS_KEPT = 3;
const FUNDS = { SOL: 100, USDC: 100_000 };
/** An allowance of its own: what it asks is not taken from the product's. */
const HEADERS = { 'x-api-key': 'bare-trader', 'content-type': 'application/json' };

/** Counts what it sends; `act(n)` does the nth thing. */
class BareClient {
  errors = 0;
  firstErrors = [];
  accepted = 0;
  #asked = 0;
  keypair = Keypair.generate();

  constructor(rpcUrl) {
    // The sandbox takes subscriptions at the same port.
    this.connection = new Connection(rpcUrl, { commitment: COMMITMENT, wsEndpoint: rpcUrl.replace('http', 'ws') });
  }

  get address() {
    return this.keypair.publicKey.toBase58();
  }

  /** With money. */
  async funded(deployment) {
    for (const [token, amount] of Object.entries(FUNDS)) await pour(deployment, [this.address], token, amount);
    return this;
  }

  /** One request, until confirmed; never throws. */
  async send() {
    try {
      await this.act((this.#asked += 1));
      this.accepted += 1;
    } catch (error) {
      this.errors += 1;
      if (this.firstErrors.length < ERRORS_KEPT) this.firstErrors.push(String(error));
    }
  }

  async confirmed(awaited) {
    const { value } = await this.connection.confirmTransaction(awaited, COMMITMENT);
    if (value.err) throw new Error(JSON.stringify(value.err));
  }
}

/** Sends USDC from one wallet to each recipient in turn. */
export class BareSender extends BareClient {
  /** `Map(address → raw)`: what was confirmed. */
  sentTo = new Map();

  /** Needs `rpcUrl` and `sandbox`; recipients have accounts. */
  static async open(deployment, recipientCount) {
    const client = new BareSender(deployment.rpcUrl);
    client.recipients = await openRecipients(deployment, recipientCount);
    const accountOf = (owner) => getAssociatedTokenAddressSync(USDC, new PublicKey(owner));
    client.accounts = client.recipients.map(accountOf);
    client.from = accountOf(client.address);
    return client.funded(deployment);
  }

  async act(n) {
    const which = n % this.recipients.length;
    const raw = LEAST_RAW + (n % 10_000);
    const { blockhash, lastValidBlockHeight } = await this.connection.getLatestBlockhash();
    const owner = this.keypair.publicKey;
    const transaction = new Transaction({ feePayer: owner, blockhash, lastValidBlockHeight });
    transaction.add(createTransferCheckedInstruction(this.from, USDC, this.accounts[which], owner, raw, DECIMALS));
    transaction.sign(this.keypair);
    const options = { skipPreflight: true, maxRetries: 0 };
    const signature = await this.connection.sendRawTransaction(transaction.serialize(), options);
    await this.confirmed({ signature, blockhash, lastValidBlockHeight });
    add(this.sentTo, this.recipients[which], BigInt(raw));
  }
}

/** Trades USDC for SOL and SOL for USDC; it believes the aggregator and signs what it is given. */
export class BareTrader extends BareClient {
  /** Base units by which its USDC changed, as the aggregator says. */
  usdcRaw = 0n;
  #url;

  static async open(deployment) {
    const { rpcUrl, aggregatorUrl } = outsideOf();
    const trader = new BareTrader(rpcUrl);
    trader.#url = `${aggregatorUrl}/swap/v2`;
    return trader.funded(deployment);
  }

  async act(n) {
    const { from, to, raw } = tradeOf(n, n);
    // What the product asks for.
    const query = new URLSearchParams({
      ...{ inputMint: from.mint, outputMint: to.mint, amount: String(raw), taker: this.address, swapMode: 'ExactIn' },
      ...{ slippageBps: String(SLIPPAGE_BPS), excludeRouters: 'jupiterz,dflow,okx' },
    });
    const { transaction: unsigned, requestId, lastValidBlockHeight } = await this.#ask(`/order?${query}`);
    const transaction = VersionedTransaction.deserialize(Buffer.from(unsigned, 'base64'));
    transaction.sign([this.keypair]);
    const signedTransaction = Buffer.from(transaction.serialize()).toString('base64');
    const signature = encodeBase58(transaction.signatures[0]);
    const { recentBlockhash: blockhash } = transaction.message;
    const [done] = await Promise.all([
      this.#ask('/execute', { signedTransaction, requestId, lastValidBlockHeight }),
      this.confirmed({ signature, blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) }),
    ]);
    if (done.code !== 0) throw new Error(JSON.stringify(done));
    this.usdcRaw += from.symbol === 'USDC' ? -BigInt(done.totalInputAmount) : BigInt(done.totalOutputAmount);
  }

  async #ask(path, body) {
    const options = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const answer = await fetch(this.#url + path, { headers: HEADERS, ...options });
    if (answer.status !== 200) throw new Error(`the aggregator answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}
