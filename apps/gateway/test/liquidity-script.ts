import { type swapV1, walletV1 } from '@agent-wallet/contracts';
import { SIGNATURE, USDC } from './sample-dry-run.js';

const POOL = '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny';
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

const of = (amount: bigint, bound: bigint, other: bigint, otherBound: bigint): swapV1.LiquidityToken[] => [
  { mint: WRAPPED_SOL, symbol: 'SOL', decimals: 9, amount, bound },
  { mint: USDC, symbol: 'USDC', decimals: 6, amount: other, bound: otherBound },
];

const SHARED = {
  state: walletV1.OperationState.OPERATION_STATE_CONFIRMED,
  signature: SIGNATURE,
  networkFeeLamports: 5_000n,
};

const FACTS = {
  pool: POOL,
  lpMint: 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR',
  liquidity: 2_097_352_701n,
  remaining: 0n,
  slippageBps: 50,
};

const ADDITION: swapV1.LiquidityFacts = {
  ...FACTS,
  tokens: of(177_683_014n, 178_571_430n, 24_875_622n, 25_000_000n),
  rentLamports: 2_039_280n,
};

const REMOVAL: swapV1.LiquidityFacts = {
  ...FACTS,
  tokens: of(177_683_013n, 176_794_597n, 24_875_621n, 24_751_242n),
  rentLamports: 0n,
};

/** A confirmed addition of at most 25 USDC. */
export const ADDED: swapV1.AddLiquidityResponse = { ...SHARED, facts: ADDITION };

/** A confirmed removal of the same. */
export const REMOVED: swapV1.RemoveLiquidityResponse = { ...SHARED, facts: REMOVAL };

const UNDECIDED = { state: walletV1.OperationState.OPERATION_STATE_UNSPECIFIED, signature: '' };

const pooled = (sol: bigint, usdc: bigint) => [
  { mint: WRAPPED_SOL, symbol: 'SOL', decimals: 9, amount: sol },
  { mint: USDC, symbol: 'USDC', decimals: 6, amount: usdc },
];

/** The pool that all of this is about. */
export const SHOWN_POOL: swapV1.Pool = {
  pool: POOL,
  lpMint: FACTS.lpMint,
  tokens: pooled(7_142_857_142_857n, 1_000_000_000_000n),
  lpSupply: 84_515_425_472_851n,
  tradeFeeRate: 2_500n,
  price: '140.0000000000028',
  valueUsdMicros: 1_999_999_999_999n,
  depositsOpen: true,
  withdrawalsOpen: true,
  unsupportedReason: '',
};

/** The position that the addition makes. */
export const SHOWN_POSITION: swapV1.Position = {
  pool: SHOWN_POOL,
  amounts: pooled(177_683_013n, 24_875_621n),
  liquidity: FACTS.liquidity,
  usdMicros: 49_751_242n,
};

/** Returns the default responses of the swap service about liquidity. */
export const liquidityScript = (dryRun: walletV1.DryRun) => ({
  addLiquidity: async () => ADDED,
  dryRunAddLiquidity: async () => ({ addition: { ...ADDED, ...UNDECIDED }, dryRun }),
  listPools: async () => ({ pools: [SHOWN_POOL], cursor: '' }),
  getPool: async () => ({ pool: SHOWN_POOL }),
  listPositions: async () => ({ positions: [SHOWN_POSITION], pricedAtMs: 1_763_719_200_000n }),
  removeLiquidity: async () => REMOVED,
  dryRunRemoveLiquidity: async () => ({ removal: { ...REMOVED, ...UNDECIDED }, dryRun }),
});
