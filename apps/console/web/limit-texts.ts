import type { PolicyFieldName } from '@agent-wallet/kernel/policy-fields';
import type { Preset } from './policy/presets.js';

/** Texts of each field, in the order of the form. */
const FIELDS: Readonly<Record<PolicyFieldName, { readonly label: string; readonly hint: string }>> = {
  maxSingleTransactionInUsd: { label: 'Most for one transaction', hint: 'In US dollars.' },
  dailyLimitInUsd: { label: 'Most in 24 hours', hint: 'In US dollars. The window moves with the clock.' },
  approveAboveInUsd: { label: 'Ask me above', hint: 'In US dollars. Leave it empty to be asked about no amount.' },
  newRecipients: {
    label: 'Payments to new recipients',
    hint: 'A recipient is new until a payment to it has settled that was made since you own the agent.',
  },
  newRecipientCoolDownHours: {
    label: 'Hours until a recipient is known',
    hint: 'After the first payment has settled.',
  },
  allowedRecipients: { label: 'Recipients', hint: 'One address on each line. An empty list allows everyone.' },
  allowTrading: { label: 'Trade tokens', hint: 'The agent may swap one token for another.' },
  allowLiquidityProvision: { label: 'Provide liquidity', hint: 'The agent may put tokens into pools.' },
  allowPredictionMarkets: { label: 'Buy in prediction markets', hint: 'The agent may buy contracts.' },
  allowedTokens: { label: 'Tokens it may get in a trade', hint: 'One mint address on each line.' },
  allowedMarkets: { label: 'Markets it may buy in', hint: 'One ticker, or the beginning of one, on each line.' },
  sessionExpirationHours: { label: 'Hours a login lasts', hint: 'From the agent’s next login on.' },
  approvalLifetimeHours: {
    label: 'Hours you have to decide',
    hint: 'After that, a request expires. Every change needs your passkey.',
  },
  maxTradeLossPercent: {
    label: 'Most a trade may lose, in percent',
    hint: 'Leave it empty for 10 %, or what a request names. Every change needs your passkey.',
  },
  unpricedTokens: {
    label: 'Tokens that may leave without a price',
    hint: 'One mint address on each line. Every change needs your passkey.',
  },
  allowMailLogin: {
    label: 'Log in by mail',
    hint: 'The agent may log in with a mailed code. If you switch this off, its sessions last until they expire.',
  },
};

const PRESETS: Readonly<Record<Preset, { readonly label: string; readonly text: string }>> = {
  careful: {
    label: 'Careful',
    text: 'Up to $50 a day. You approve everything above $10 and every new recipient. No trades, pools or prediction markets.',
  },
  standard: {
    label: 'Standard',
    text: 'Up to $250 a day. You approve everything above $50 and every new recipient. Trades are on, pools and prediction markets off.',
  },
  trusting: {
    label: 'Trusting',
    text: 'Up to $2,000 a day. You approve what is above $250. Trades, pools and prediction markets are on.',
  },
};

/** Texts about limits. Warnings name a limit by its label. */
export const LIMIT_TEXTS = {
  title: 'Limits',
  presets: 'Start from a preset',
  custom: 'Or set each limit',
  fields: FIELDS,
  presetTexts: PRESETS,
  review: 'What changes',
  changes: (count: number) => (count === 1 ? '1 change' : `${count} changes`),
  toReview: 'Review',
  nothing: 'Nothing has changed yet.',
  tightens: 'Takes effect at once',
  loosens: 'Needs your passkey',
  from: 'from',
  to: 'to',
  save: 'Save',
  saveSign: 'Review and sign',
  reset: 'Undo changes',
  saved: 'Saved. The new limits are in effect.',
  mixed: 'One of the changes loosens a limit. So all of them wait for your passkey.',
  everything: 'Everything is allowed.',
  nothingAllowed: 'The list is empty. So nothing is allowed.',
  list: 'Only this list',
  bad: (labels: readonly string[]) => `Correct ${labels.map((label) => `“${label}”`).join(', ')} first.`,
  badEntry: (entry: string) => `“${entry}” is not a valid entry. Put one on each line.`,
  number: 'Enter a number above 0.',
  whole: (min: number, max: number) => `Enter a whole number from ${min} to ${max}.`,
  newRecipients: { allow: 'Allow them', approve: 'Ask me first', deny: 'Never' },
  words: {
    on: 'On',
    off: 'Off',
    everyone: 'Everyone',
    everything: 'Everything',
    nothing: 'Nothing',
    never: 'No amount',
    usual: '10 %, unless a request names another',
    none: 'None',
    hours: (n: string) => `${n} ${n === '1' ? 'hour' : 'hours'}`,
  },
  warnings: 'Please note',
  warningTexts: {
    single_limit_exceeds_daily_limit: `“${FIELDS.maxSingleTransactionInUsd.label}” is higher than “${FIELDS.dailyLimitInUsd.label}”. The lower limit counts for each transaction.`,
    recipients_do_not_limit_trades: `Your rules for recipients cover payments alone. A bad trade can still lose money. Set “${FIELDS.allowedTokens.label}”, or switch off “${FIELDS.allowTrading.label}”.`,
    recipients_do_not_limit_bets: `Your rules for recipients cover payments alone. Contracts can still lose money. Set “${FIELDS.allowedMarkets.label}”, or switch off “${FIELDS.allowPredictionMarkets.label}”.`,
  } as Readonly<Record<string, string>>,
} as const;
