import { namedTokens, type SolanaNetwork } from '@agent-wallet/kernel';
import { addressBytes, addressOf } from '@agent-wallet/solana';
import { programDerivedAddress } from '@agent-wallet/solana/checks';

/** Programs of Pyth on a cluster, as base58 addresses. */
export interface PythPrograms {
  /** The program that derives the address of a feed's account. */
  readonly pushOracle: string;
  /** The program that verifies updates, and owns the accounts. */
  readonly receiver: string;
}

/** Pyth's programs on mainnet and devnet. */
export const PYTH_PROGRAMS: PythPrograms = {
  pushOracle: 'pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT',
  receiver: 'rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ',
};

/** Feed IDs of the tokens that have a name here, as Pyth publishes them. */
const FEED_IDS: Readonly<Record<string, string>> = {
  SOL: 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d',
  USDC: 'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a',
  USDT: '2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b',
  JUP: '0a0408d619e9380abad35060f9192039ed5042fa6f82301d0e48bb52be830996',
  BONK: '72b021217ca3fe68922a19aaf990109cb9d84e9ad004b4d2025ad6f529314419',
  WIF: '4ca4beeca86f0d164160323817a4e42b10010a724c2217c6ee41b54cd4cc61fc',
  RAY: '91568baa8beb53db23eb3fb7f22c6e8bd303d103919e19733f2bb642d3e7987a',
  ORCA: '37505261e557e251290b8c8899453064e8d760ed5c65a779726f2490980da74c',
};

/** The shard that Pyth itself keeps up to date, as a little-endian u16. */
const SHARD = Uint8Array.of(0, 0);

/** A token's price feed. */
export interface Feed {
  /** Base58. */
  readonly mint: string;
  /** 32 bytes. */
  readonly id: Uint8Array;
  /** Base58 address of the account that holds its newest price. */
  readonly account: string;
}

/** Returns the feed of every named token of a network that has one. */
export function pythFeeds({ pushOracle }: Pick<PythPrograms, 'pushOracle'>, network: SolanaNetwork): readonly Feed[] {
  const program = addressBytes(pushOracle);
  return namedTokens(network).flatMap(({ symbol, mint }) => {
    const hex = FEED_IDS[symbol];
    if (hex === undefined) return [];
    const id = Buffer.from(hex, 'hex');
    return [{ mint, id, account: addressOf(programDerivedAddress([SHARD, id], program)) }];
  });
}
