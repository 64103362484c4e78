import { generateKeyPairSync } from 'node:crypto';
import {
  addressBytes,
  addressOf,
  associatedTokenAddress,
  type ChainAccount,
  type Mint,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  type TokenProgram,
} from '@agent-wallet/solana';
import type { TransferChain } from '../src/ports/transfer-chain.js';
import type { Wallets } from '../src/ports/wallets.js';

/** The address of a wallet that nobody has used. */
export function newAddress(): string {
  return addressOf(generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
}

/** Accounts of a chain, set by a test. Counts the reads. */
export class FakeChain implements TransferChain {
  readonly all = new Map<string, ChainAccount>();
  readonly mints = new Map<string, Mint>();
  reads = 0;

  async accounts(addresses: readonly string[]) {
    this.reads += 1;
    return { slot: 1, accounts: addresses.map((address) => this.all.get(address) ?? null) };
  }

  async latestBlockhash() {
    return { blockhash: newAddress(), lastValidBlockHeight: 150, slot: 1 };
  }

  async mint(address: string) {
    return this.mints.get(address) ?? null;
  }

  async rentExemptMinimumLamports(bytes: number) {
    return BigInt(128 + bytes) * 6_960n;
  }

  /** Puts lamports into a wallet. */
  fund(address: string, lamports: bigint): void {
    this.all.set(address, { owner: SYSTEM_PROGRAM, lamports, data: new Uint8Array(), executable: false });
  }

  /** Gives a wallet an associated token account. */
  hold(
    holding: { readonly owner: string; readonly mint: string; readonly amount: bigint },
    over: { readonly controller?: string; readonly frozen?: boolean; readonly tokenProgram?: TokenProgram } = {},
  ): string {
    const { owner, mint, amount } = holding;
    const { controller = owner, frozen = false, tokenProgram = TOKEN_PROGRAM } = over;
    const data = Buffer.alloc(165);
    data.set(addressBytes(mint), 0);
    data.set(addressBytes(controller), 32);
    data.writeBigUInt64LE(amount, 64);
    data[108] = frozen ? 2 : 1;
    const address = associatedTokenAddress({ owner, mint, tokenProgram });
    this.all.set(address, { owner: tokenProgram, lamports: 2_039_280n, data, executable: false });
    return address;
  }
}

/** Wallets in memory. */
export class FakeWallets implements Wallets {
  readonly all = new Map<string, string>();

  async find(agentId: string) {
    return this.all.get(agentId);
  }

  async add(agentId: string, address: string) {
    if (this.all.has(agentId)) return false;
    this.all.set(agentId, address);
    return true;
  }
}
