import {
  ComputeBudgetProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from '../chain/chain.js';
import type { Keypair } from '../chain/keypair.js';
import { readTransaction } from '../chain/message.js';
import type { WireTransaction } from '../chain/wire-transaction.js';
import { type Key, keyText } from '../encoding/keys.js';
import { publicKey } from './token-accounts.js';

const POLL_MS = 10;
const LANDING_DEADLINE_MS = 30_000;
const LEAST_UNITS = 300_000;
const MOST_UNITS = 1_300_000;

/** A transaction of the sandbox's own wallets that did not do what it should. */
export class SendingFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SendingFailed';
  }
}

/** Sends transactions of the sandbox's own wallets like any client, and waits until they are confirmed. */
export class Sender {
  private counter = randomInt(LEAST_UNITS, MOST_UNITS);

  constructor(private readonly chain: Chain) {}

  /** Sends and waits. The first signer pays. @throws SendingFailed when it fails or does not land */
  async send(instructions: TransactionInstruction[], signers: readonly [Keypair, ...Keypair[]]): Promise<Key> {
    const deadlineMs = performance.now() + LANDING_DEADLINE_MS;
    let tx = this.submit(instructions, signers);
    for (;;) {
      const signature = tx.signatures[0]!;
      const landed = this.chain.ledger.get(signature);
      if (landed && landed.slot <= this.chain.view().confirmed) {
        if (landed.error === null) return signature;
        throw new SendingFailed(`the transaction failed on chain: ${landed.error}`);
      }
      if (performance.now() > deadlineMs) throw new SendingFailed(`transaction ${keyText(signature)} did not land`);
      const { trouble } = this.chain;
      if (!landed && trouble) throw new SendingFailed(`transaction ${keyText(signature)} waits to land: ${trouble}`);
      // The clock was moved meanwhile: this one is dead for good, so another may be sent.
      if (!landed && !this.chain.isFresh(tx)) tx = this.submit(instructions, signers);
      await sleep(POLL_MS);
    }
  }

  private submit(instructions: TransactionInstruction[], signers: readonly [Keypair, ...Keypair[]]): WireTransaction {
    // Two like transfers in one block must not be the same transaction.
    this.counter = this.counter >= MOST_UNITS ? LEAST_UNITS : this.counter + 1;
    const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: this.counter });
    const message = new TransactionMessage({
      payerKey: publicKey(signers[0].key),
      recentBlockhash: keyText(this.chain.blockhashes.at(this.chain.clock.position().height)),
      instructions: [limit, ...instructions],
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    const bytes = message.serialize();
    for (const signer of signers) transaction.addSignature(publicKey(signer.key), signer.sign(bytes));
    const tx = readTransaction(Buffer.from(transaction.serialize()));
    this.chain.accept(tx);
    return tx;
  }
}
