import { formatAmount } from '@agent-wallet/kernel';
import { ExtensionType } from '@solana/spl-token';
import type { Chain } from '../chain/chain.js';
import { isMint, readExtensions, readMint } from '../chain/token-layout.js';
import { RawJson } from '../encoding/json.js';
import { keyText, parseKey } from '../encoding/keys.js';
import { BadRequest, type JsonRoute } from '../http/json-server.js';
import { MAINNET_TOKENS, type TokenInfo } from '../tokens/mainnet.js';
import { programIdOf } from '../tokens/token-accounts.js';
import type { TokenRegistry } from '../tokens/registry.js';
import type { AggregatorContext } from './aggregator-context.js';

const MOST_MINTS = 100;
const MOST_RESULTS = 20;
const VERIFIED = new Set(MAINNET_TOKENS.map((t) => t.mint));

/** Token search (both of its paths) and the shield. */
export function tokenRoutes(context: AggregatorContext): JsonRoute[] {
  const search: JsonRoute['answer'] = ({ query }) => {
    const wanted = query.get('query');
    if (!wanted) throw new BadRequest('query is required');
    return { body: found(context.tokens, wanted).map((token) => describe(token, context)) };
  };
  const shield: JsonRoute['answer'] = ({ query }) => {
    const mints = (query.get('mints') ?? '').split(',').filter((mint) => mint !== '');
    if (mints.length === 0) throw new BadRequest('mints is required');
    return { body: { warnings: Object.fromEntries(mints.map((mint) => [mint, warningsOf(mint, context.chain)])) } };
  };
  return [
    { method: 'GET', path: '/tokens/v2/search', answer: search },
    { method: 'GET', path: '/ultra/v1/search', answer: search },
    { method: 'GET', path: '/ultra/v1/shield', answer: shield },
  ];
}

/** A comma list is mints; one word is a mint, or part of a symbol or a name. */
function found(tokens: TokenRegistry, wanted: string): TokenInfo[] {
  const words = wanted.split(',').map((word) => word.trim());
  const mints = words.map((word) => parseKey(word));
  if (words.length > 1 || mints[0] !== undefined) {
    if (words.length > MOST_MINTS) throw new BadRequest(`at most ${MOST_MINTS} mints`);
    return mints
      .map((mint) => (mint === undefined ? undefined : tokens.get(mint)))
      .filter((token) => token !== undefined);
  }
  const text = wanted.toLowerCase();
  return tokens
    .all()
    .filter(({ symbol, name }) => `${symbol}\n${name}`.toLowerCase().includes(text))
    .slice(0, MOST_RESULTS);
}

function describe(token: TokenInfo, { chain, prices }: AggregatorContext): Record<string, unknown> {
  const account = chain.account(token.mint);
  const mint = isMint(account) ? readMint(account) : undefined;
  const price = prices.get(token.mint, chain.view().confirmed);
  const isVerified = VERIFIED.has(token.mint);
  const made = new Date(chain.genesis.origin.timeMs).toISOString();
  const supply = mint && new RawJson(formatAmount(mint.supply, token.decimals));
  return {
    id: keyText(token.mint),
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals,
    tokenProgram: programIdOf(token).toBase58(),
    createdAt: made,
    mintAuthority: mint?.mintAuthority && keyText(mint.mintAuthority),
    freezeAuthority: mint?.freezeAuthority && keyText(mint.freezeAuthority),
    totalSupply: supply,
    circSupply: supply,
    usdPrice: price && new RawJson(price.usdText),
    priceBlockId: price?.blockId,
    organicScore: isVerified ? 95 : 0,
    organicScoreLabel: isVerified ? 'high' : 'low',
    isVerified,
    tags: isVerified ? ['verified'] : [],
    updatedAt: made,
  };
}

interface Warning {
  readonly type: string;
  readonly message: string;
  readonly severity: 'info' | 'warning' | 'critical';
}

function warningsOf(mintText: string, chain: Chain): Warning[] {
  const key = parseKey(mintText);
  const account = key && chain.account(key);
  if (!key || !isMint(account)) return [warning('NOT_VERIFIED', 'This token is not known', 'warning')];
  const warnings: Warning[] = [];
  const { mintAuthority, freezeAuthority } = readMint(account);
  if (!VERIFIED.has(key))
    warnings.push(warning('NOT_VERIFIED', 'This token is not verified, make sure the mint address is correct', 'info'));
  if (mintAuthority !== undefined)
    warnings.push(warning('HAS_MINT_AUTHORITY', 'The authority can mint more tokens', 'info'));
  if (freezeAuthority !== undefined)
    warnings.push(warning('HAS_FREEZE_AUTHORITY', 'The authority can freeze token accounts', 'warning'));
  return [...warnings, ...readExtensions(account).flatMap(({ type, value }) => extensionWarning(type, value))];
}

function extensionWarning(type: number, value: Buffer): Warning[] {
  if (type === ExtensionType.NonTransferable)
    return [warning('NON_TRANSFERABLE', 'This token cannot be transferred', 'critical')];
  if (type === ExtensionType.PermanentDelegate) {
    return [warning('HAS_PERMANENT_DELEGATE', 'The permanent delegate can move or burn all tokens', 'critical')];
  }
  if (type !== ExtensionType.TransferFeeConfig) return [];
  const percent = value.readUInt16LE(106) / 100;
  const fee = warning(`${percent}%_TRANSFER_FEES`, `Each transfer costs ${percent}% of its amount`, 'warning');
  return [fee, warning('MUTABLE_TRANSFER_FEES', 'The transfer fee can be changed', 'warning')];
}

function warning(type: string, message: string, severity: Warning['severity']): Warning {
  return { type, message, severity };
}
