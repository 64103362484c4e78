import type { walletV1 } from '@agent-wallet/contracts';
import { AppError, type BaseUnits, baseUnitsOf, unknownToken } from '@agent-wallet/kernel';
import { toAppError } from '@agent-wallet/platform';
import { isAddress, type Mint } from '@agent-wallet/solana';
import type { MintPowers } from '../domain/token-warnings.js';
import { isNative, NATIVE_MINT, type Token } from '../domain/tokens.js';
import { checkTrade, type TradeRequest } from '../domain/trade.js';
import type { SwapChain } from '../ports/swap-chain.js';
import type { WalletDirectory } from '../ports/wallet-directory.js';

/** A token, and what its mint lets others do. */
interface ResolvedToken {
  readonly token: Token;
  readonly powers: MintPowers;
  /** Extensions for which this service does not move the token. */
  readonly unsafeExtensions: readonly string[];
  /** Names of all its extensions, which make its accounts larger. */
  readonly mint: Mint;
}

/** The meaning of a request. */
export interface ResolvedTrade {
  readonly wallet: string;
  readonly input: ResolvedToken;
  readonly output: ResolvedToken;
  /** Base58 address of the wallet that pays the network for agents that cannot; undefined for none. */
  readonly sponsorAddress: string | undefined;
  /** Base units of the input. */
  readonly amount: BaseUnits;
}

/** Sources for resolving a trade. */
interface ResolvingDependencies {
  readonly wallets: WalletDirectory;
  readonly chain: Pick<SwapChain, 'mint'>;
}

const NO_POWERS: MintPowers = {
  freezeAuthority: '',
  mintAuthority: '',
  permanentDelegate: '',
  transferHook: '',
  transferFeeBps: 0,
};

/**
 * Finds out whose wallet trades which tokens, and how much.
 * @throws AppError VALIDATION_ERROR, UNKNOWN_TOKEN, NOT_FOUND for an agent without a wallet; RpcFailure
 */
export async function resolveTrade(
  { wallets, chain }: ResolvingDependencies,
  agentId: string,
  request: TradeRequest,
): Promise<ResolvedTrade> {
  const { inputMint, outputMint } = checkTrade(request, isAddress);
  const resolve = async (mint: string, field: 'from' | 'to'): Promise<ResolvedToken> => {
    const [found, known] = await Promise.all([chain.mint(mint), tokenOf(wallets, mint, agentId)]);
    if (!found || !known) throw unknownToken(field, request[field]);
    return resolved(found, known);
  };
  const [{ address: wallet, sponsorAddress }, input, output] = await Promise.all([
    known(wallets.getWallet({ agentId })),
    resolve(inputMint, 'from'),
    resolve(outputMint, 'to'),
  ]);
  if (!isAddress(wallet)) throw new AppError('INTERNAL_ERROR', { cause: new Error('the wallet has no address') });
  return { wallet, sponsorAddress, input, output, amount: baseUnitsOf(request.amount, input.token.decimals) };
}

async function tokenOf(
  wallets: WalletDirectory,
  mint: string,
  agentId: string,
): Promise<walletV1.GetTokenResponse | undefined> {
  try {
    return await known(wallets.getToken({ query: mint === NATIVE_MINT ? 'SOL' : mint, agentId }));
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Returns the response, or throws an error that says whether it may pass. */
async function known<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw toAppError(error);
  });
}

/** Decimals and program are the chain's: amounts are counted with them. */
function resolved(mint: Mint, known: walletV1.GetTokenResponse): ResolvedToken {
  const { address, decimals, tokenProgram } = mint;
  const token = { mint: address, symbol: known.symbol, decimals, tokenProgram };
  if (!known.safety)
    throw new AppError('INTERNAL_ERROR', { cause: new Error('the wallet did not return what the mint can do') });
  const { unsafeExtensions, ...powers } = known.safety;
  return { token, mint, unsafeExtensions, powers: isNative(token) ? NO_POWERS : powers };
}
