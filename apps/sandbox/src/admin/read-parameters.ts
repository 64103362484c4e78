import { AmountError, formatAmount, parseAmount, readDecimal, SOL_DECIMALS } from '@agent-wallet/kernel';
import type { Chain } from '../chain/chain.js';
import { isMint, readMint } from '../chain/token-layout.js';
import { type Key, keyText, parseKey } from '../encoding/keys.js';
import { BadRequest } from '../http/json-server.js';
import { TOKEN_PROGRAM } from '../chain/programs.js';
import type { TokenInfo } from '../tokens/mainnet.js';
import type { TokenRegistry } from '../tokens/registry.js';

/** Reads an address. @throws BadRequest that names the field */
export function readAddress(name: string, text: string | null | undefined): Key {
  if (!text) throw new BadRequest(`${name} is required`);
  const parsed = parseKey(text);
  if (parsed === undefined) throw new BadRequest(`${name} is not a Solana address`);
  return parsed;
}

/** What an amount is counted in: the native coin, or a token. */
type Asset = { readonly kind: 'sol'; readonly decimals: number } | ({ readonly kind: 'token' } & TokenInfo);

/**
 * Reads a token by symbol or mint. "SOL" is the native coin; its mint address is the wrapped token.
 * @throws BadRequest when there is none
 */
export function readAsset(text: string | null | undefined, tokens: TokenRegistry, chain: Chain): Asset {
  if (!text) throw new BadRequest('token is required');
  if (text.toUpperCase() === 'SOL') return { kind: 'sol', decimals: SOL_DECIMALS };
  const token = tokens.find(text) ?? mintOnChain(text, chain);
  if (!token) throw new BadRequest(`unknown token: ${text}`);
  return { kind: 'token', ...token };
}

/** Reads an amount in standard units. A number's shortest text is what was written. @throws BadRequest */
export function readAmount(amount: string | number, decimals: number): bigint {
  try {
    return parseAmount(String(amount), decimals);
  } catch (error) {
    if (error instanceof AmountError) throw new BadRequest(`amount ${error.message}`);
    throw error;
  }
}

/** A mint that a client made on the chain by itself. */
function mintOnChain(text: string, chain: Chain): TokenInfo | undefined {
  const mint = parseKey(text);
  const account = mint && chain.account(mint);
  if (!mint || !isMint(account)) return undefined;
  const program = account.owner === TOKEN_PROGRAM ? 'token' : 'token-2022';
  return { mint, symbol: keyText(mint), name: keyText(mint), decimals: readMint(account).decimals, program };
}

/** Reads a price in dollars as exact decimal text; what makes no sense as a price may be tried too. @throws BadRequest */
export function readPrice(usd: string | number): string {
  try {
    const { negative, digits, scale } = readDecimal(String(usd));
    return (negative ? '-' : '') + formatAmount(digits, scale);
  } catch {
    throw new BadRequest('usd must be a decimal number');
  }
}
