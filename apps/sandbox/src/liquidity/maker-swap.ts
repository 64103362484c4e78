import type { Chain } from '../chain/chain.js';
import type { Keypair } from '../chain/keypair.js';
import { type Key, keyText } from '../encoding/keys.js';
import { makerAccountOf, tokenAccounts } from '../market/pair-accounts.js';
import type { Sender } from '../tokens/sender.js';
import type { TokenRegistry } from '../tokens/registry.js';
import type { CpmmPool } from './cpmm-layout.js';
import { authorityAddress, swapInstruction } from './cpmm-program.js';

/** What a swap of the market maker needs. */
export interface MakerSwapContext {
  readonly chain: Chain;
  readonly tokens: TokenRegistry;
  readonly sender: Sender;
  readonly maker: Keypair;
}

/** A swap that landed. */
interface MakerSwapResult {
  /** Base units that left the maker's account. */
  readonly amountIn: bigint;
  /** Base units that arrived there. */
  readonly amountOut: bigint;
  readonly signature: Key;
}

interface TokenBalance {
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
}

/**
 * Swaps in a pool as the market maker, by an ordinary transaction of the chain. Its accounts are stocked by no
 * transaction where they are missing.
 * @throws SendingFailed when the program refuses
 */
export async function swapAsMaker(
  { chain, tokens, sender, maker }: MakerSwapContext,
  pool: CpmmPool,
  inputSide: 0 | 1,
  amountIn: bigint,
): Promise<MakerSwapResult> {
  const missing = pool.mints.filter((mint) => !chain.account(makerAccountOf(maker.key, mint)));
  const stock = missing.flatMap((mint) => {
    const token = { ...tokens.get(mint)!, mintAccount: chain.account(mint) };
    return tokenAccounts(token, maker.key);
  });
  if (stock.length > 0) chain.seed(stock);
  const [input, output] = [pool.mints[inputSide], pool.mints[inputSide === 0 ? 1 : 0]];
  const [source, destination] = [makerAccountOf(maker.key, input), makerAccountOf(maker.key, output)];
  const authority = authorityAddress(pool.program).key;
  const order = { payer: maker.key, authority, pool, inputSide, source, destination, amountIn, minAmountOut: 0n };
  const signature = await sender.send([swapInstruction(order)], [maker]);
  const change = (mint: Key) => balanceChange(chain, signature, maker.key, mint);
  return { amountIn: -change(input), amountOut: change(output), signature };
}

/** Returns by how much a transaction changed an owner's balance of a mint. */
function balanceChange(chain: Chain, signature: Key, owner: Key, mint: Key): bigint {
  const { meta } = chain.ledger.read(chain.ledger.get(signature)!);
  const { preTokenBalances, postTokenBalances } = JSON.parse(meta) as Record<string, TokenBalance[]>;
  const held = (balances: TokenBalance[] | undefined): bigint =>
    (balances ?? [])
      .filter((balance) => balance.owner === keyText(owner) && balance.mint === keyText(mint))
      .reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n);
  return held(postTokenBalances) - held(preTokenBalances);
}
