import { AppError, RecentlyUsed } from '@agent-wallet/kernel';
import { isAddress } from '../addresses/address.js';
import { readMint } from './read-mint.js';
import { type ChainAccount, MAX_DATA_BYTES, type Mint, type MintState } from './solana-chain.js';

/** Anyone can send an agent another token. */
const MAX_KEPT = 10_000;

/** Reads mints, and keeps what never changes about them. */
export class Mints {
  readonly #kept = new RecentlyUsed<Mint>(MAX_KEPT);

  constructor(private readonly account: (address: string) => Promise<ChainAccount | null>) {}

  async state(address: string): Promise<MintState | null> {
    if (!isAddress(address)) return null;
    const account = await this.account(address);
    // What was not read might be an extension that makes it unsafe.
    if (!account || account.data.length >= MAX_DATA_BYTES) return null;
    try {
      return readMint(address, account);
    } catch (error) {
      throw new AppError('UPSTREAM_ERROR', { cause: error });
    }
  }

  async immutable(address: string): Promise<Mint | null> {
    const kept = this.#kept.use(address);
    if (kept) return kept;
    const state = await this.state(address);
    if (!state) return null;
    const { tokenProgram, decimals, extensions } = state;
    const mint = { address, tokenProgram, decimals, extensions };
    // A mint that can be closed may come back as another one.
    if (!extensions.includes('mintCloseAuthority')) this.#kept.keep(address, mint);
    return mint;
  }
}
