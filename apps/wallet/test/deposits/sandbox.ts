import { eventually, type SandboxProcess, startSandboxProcess, TestSandbox } from '@agent-wallet/testing';
import {
  Connection,
  Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';

/** 31 slots, and some more. */
const FINAL_AFTER_SECONDS = 20;

/** A sandbox in its own process, with the money of strangers. */
export class Sandbox extends TestSandbox {
  readonly connection: Connection;

  private constructor(sandbox: SandboxProcess) {
    super(sandbox, 'chain');
    this.connection = new Connection(this.rpcUrl, 'confirmed');
  }

  /** Starts it with a chain of that slot time; 31 slots later a slot is final. */
  static async start(slotMs = 20): Promise<Sandbox> {
    return new Sandbox(await startSandboxProcess({ SANDBOX_SLOT_MS: String(slotMs) }));
  }

  /** One transaction for each of the addresses, sent at the same time. */
  async faucetMany(addresses: readonly string[], token: string, amount: number): Promise<string[]> {
    return (await this.admin<{ signatures: string[] }>('POST', '/faucet', { addresses, token, amount })).signatures;
  }

  /** Lets so much time pass at once that what has landed is final. */
  async finalize(): Promise<void> {
    await this.admin('POST', '/clock', { advanceSeconds: FINAL_AFTER_SECONDS });
  }

  /** A stranger with money. */
  async stranger(...funds: Array<readonly [token: string, amount: number]>): Promise<Keypair> {
    const keypair = Keypair.generate();
    for (const [token, amount] of funds) await this.faucet(keypair.publicKey.toBase58(), token, amount);
    return keypair;
  }

  /** Sends a transaction of these signers, the first of which pays; confirmed when this resolves. */
  async send(signers: readonly [Keypair, ...Keypair[]], ...instructions: TransactionInstruction[]): Promise<string> {
    const { blockhash } = await this.connection.getLatestBlockhash('confirmed');
    const message = new TransactionMessage({
      payerKey: signers[0].publicKey,
      recentBlockhash: blockhash,
      instructions,
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    transaction.sign([...signers]);
    const signature = await this.connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
    await this.landing(signature);
    return signature;
  }

  /** Waits until a transaction is confirmed, and returns the chain's error of it. */
  async landing(signature: string): Promise<unknown> {
    const status = await eventually(
      async () => {
        const { value } = await this.connection.getSignatureStatuses([signature], { searchTransactionHistory: true });
        return value[0];
      },
      (read) => read?.confirmationStatus === 'confirmed' || read?.confirmationStatus === 'finalized',
    );
    return status!.err;
  }
}

/** Lamports from one wallet to another. */
export function lamports(from: Keypair, to: PublicKey, amount: number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: amount });
}
