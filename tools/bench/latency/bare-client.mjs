// A client of the same chain that does nothing but send: @solana/web3.js with a key of its own.
import { encodeBase58 } from '@agent-wallet/solana';
import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { openRecipients, pour } from '../world.mjs';

const USDC = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const DECIMALS = 6;
const LEAST_RAW = 10_000;
const COMMITMENT = 'confirmed';
const ERRORS_KEPT = 3;
const FUNDS_USDC = 100_000;

/** Sends USDC from one wallet to each recipient in turn, waits until it is confirmed, and counts. */
export class BareClient {
  errors = 0;
  firstErrors = [];
  accepted = 0;
  /** `Map(address → raw)`: what was confirmed. */
  sentTo = new Map();
  #asked = 0;
  #keypair = Keypair.generate();
  #accounts = new Map();

  constructor({ rpcUrl }, recipients) {
    this.recipients = recipients;
    // The sandbox takes subscriptions at the same port.
    this.connection = new Connection(rpcUrl, { commitment: COMMITMENT, wsEndpoint: rpcUrl.replace('http', 'ws') });
    for (const to of recipients) this.#accounts.set(to, getAssociatedTokenAddressSync(USDC, new PublicKey(to)));
  }

  /** With money, and recipients who have accounts. Asks for `rpcUrl` and `sandbox`, no more. */
  static async open(deployment, recipientCount) {
    const client = new BareClient(deployment, await openRecipients(deployment, recipientCount));
    await pour(deployment, [client.address], 'SOL', 100);
    await pour(deployment, [client.address], 'USDC', FUNDS_USDC);
    return client;
  }

  get address() {
    return this.#keypair.publicKey.toBase58();
  }

  /** One transfer; never throws. */
  async send() {
    const n = (this.#asked += 1);
    const to = this.recipients[n % this.recipients.length];
    const raw = LEAST_RAW + (n % 10_000);
    try {
      await this.#confirmed(to, raw);
      this.accepted += 1;
      this.sentTo.set(to, (this.sentTo.get(to) ?? 0n) + BigInt(raw));
    } catch (error) {
      this.errors += 1;
      if (this.firstErrors.length < ERRORS_KEPT) this.firstErrors.push(String(error));
    }
  }

  async #confirmed(to, raw) {
    const { blockhash, lastValidBlockHeight } = await this.connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: this.#keypair.publicKey, blockhash, lastValidBlockHeight });
    transaction.add(this.#instruction(to, raw));
    transaction.sign(this.#keypair);
    const options = { skipPreflight: true, maxRetries: 0 };
    const signature = await this.connection.sendRawTransaction(transaction.serialize(), options);
    if (signature !== encodeBase58(transaction.signature)) throw new Error('the node names another signature');
    const awaited = { signature, blockhash, lastValidBlockHeight };
    const { value } = await this.connection.confirmTransaction(awaited, COMMITMENT);
    if (value.err) throw new Error(JSON.stringify(value.err));
  }

  #instruction(to, raw) {
    const owner = this.#keypair.publicKey;
    this.from ??= getAssociatedTokenAddressSync(USDC, owner);
    return createTransferCheckedInstruction(this.from, USDC, this.#accounts.get(to), owner, raw, DECIMALS);
  }
}
