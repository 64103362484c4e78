import { isAddress } from '@agent-wallet/solana';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { PeggedTokens } from './pegged-prices.js';

const MAX_DECIMALS = 255;

/**
 * Reads the operator's file of pegged tokens, as a setting is transformed: `<mint> <decimals>` a line; empty lines and
 * what follows a `#` do not count. A file that cannot be read, or one wrong line, is an issue of the setting.
 */
export function readPeggedTokens(path: string, context: z.RefinementCtx): PeggedTokens {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
}

function parse(text: string): PeggedTokens {
  const tokens = new Map<string, number>();
  for (const [i, line] of text.split('\n').entries()) {
    const entry = line.replace(/#.*$/s, '').trim();
    if (entry === '') continue;
    const [mint = '', decimals = '', ...rest] = entry.split(/\s+/);
    const isToken = isAddress(mint) && /^\d{1,3}$/.test(decimals) && Number(decimals) <= MAX_DECIMALS;
    if (!isToken || rest.length > 0) throw new Error(`line ${i + 1} is not \`<mint> <decimals>\``);
    if (tokens.has(mint)) throw new Error(`line ${i + 1} names a mint a second time`);
    tokens.set(mint, Number(decimals));
  }
  return tokens;
}
