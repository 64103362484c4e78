import { type ErrorCode, errorEntry } from '@agent-wallet/kernel';
import type { CommonErrors } from './common-errors.js';

const LANDED = ['signature', 'explorerUrl', 'networkFeeLamports', 'slippageBps'];
const MARKET = ['ticker', 'side', 'bestPriceCents', 'signature', 'refundSignature'];

/** Fields of `data` beyond those of every failure, by code. */
const FIELDS: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  UNKNOWN_TOKEN: ['didYouMean'],
  INVALID_ADDRESS: ['problem'],
  INSUFFICIENT_FUNDS: [
    ...['asset', 'mint', 'decimals', 'availableRaw', 'neededRaw', 'missingRaw', 'missingLamports', 'bound'],
  ],
  INSUFFICIENT_POSITION: ['ticker', 'side', 'requestedCount', 'availableCount'],
  NO_ROUTE: ['inputMint', 'outputMint'],
  UNSAFE_TOKEN: ['mint', 'reasons'],
  SLIPPAGE_EXCEEDED: LANDED,
  TRANSACTION_FAILED: LANDED,
  MARKET_CLOSED: MARKET,
  MARKET_PAUSED: MARKET,
  NO_LIQUIDITY: MARKET,
  AUTHENTICATION_ERROR: ['reason'],
  POLICY_VIOLATION: [
    ...['rule', 'limitUsd', 'usedUsd', 'reservedUsd', 'remainingUsd', 'requestedUsd', 'maxAllowedNowUsd', 'resetsAt'],
  ],
  NOT_FOUND: ['resource'],
  METHOD_NOT_ALLOWED: ['allowed'],
  PAYLOAD_TOO_LARGE: ['maxBytes'],
  UNSUPPORTED_MEDIA_TYPE: ['supported'],
  RATE_LIMIT_EXCEEDED: ['scope', 'limit', 'windowSeconds'],
  SERVICE_UNAVAILABLE: ['reason'],
};

/** Every code once: where it occurs, what it means, and what it tells besides. */
export function errorGuide(errors: CommonErrors, rules: readonly string[]): string {
  const codes = errors.all().sort((a, b) => errorEntry(a).http - errorEntry(b).http);
  const listed = new Map<string, ErrorCode>();
  /** Several fields that an earlier code has, too, are named by that code. */
  const fieldsOf = (code: ErrorCode): string => {
    const names = FIELDS[code] ?? [];
    const fields = names.join(', ');
    const earlier = listed.get(fields);
    if (earlier !== undefined && names.length > 1) return `as ${earlier}`;
    listed.set(fields, code);
    return fields;
  };
  const rows = codes.map((code) => {
    const { http, message } = errorEntry(code);
    return `|${http}|${code}|${errors.groupsOf(code)}|${message}|${fieldsOf(code)}|`;
  });
  return `## Errors

|HTTP|\`code\`|Routes|Meaning|More fields|
|-|-|-|-|-|
${rows.join('\n')}

\`rule\` of a POLICY_VIOLATION: ${rules.map((rule) => `\`${rule}\``).join(', ')}. Only the owner should change a policy to let
a request pass. \`frozen\` means that the operator has stopped payments. \`missingLamports\`: send SOL to the wallet.
`;
}
