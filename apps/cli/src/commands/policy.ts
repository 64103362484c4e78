import type { components } from '@agent-wallet/sdk';
import { given, optionalInteger, optionalText, text, toDecimal } from '../args.js';
import type { Command } from '../command.js';
import { UsageError } from '../exit-codes.js';
import { pairs } from '../view.js';
import { grantEntries } from './grant-entries.js';

type Changes = components['schemas']['PolicyChanges'];

/** The kind of value that a field takes; each but text and switches may be `null` where the policy has no limit. */
type Kind = 'number' | 'switch' | 'list' | 'text';

/** Fields of the policy. Those that only a proposal may name are refused by the service elsewhere. */
const FIELDS = {
  maxSingleTransactionInUsd: 'number',
  dailyLimitInUsd: 'number',
  approveAboveInUsd: 'number',
  allowedRecipients: 'list',
  allowedTokens: 'list',
  allowedMarkets: 'list',
  allowTrading: 'switch',
  allowLiquidityProvision: 'switch',
  allowPredictionMarkets: 'switch',
  sessionExpirationHours: 'number',
  newRecipients: 'text',
  newRecipientCoolDownHours: 'number',
  approvalLifetimeHours: 'number',
  maxTradeLossPercent: 'number',
  unpricedTokens: 'list',
  allowMailLogin: 'switch',
} as const satisfies Record<keyof Changes, Kind>;

/** Lists that are never null: an empty one says what null says elsewhere. */
const FULL_LISTS: ReadonlySet<string> = new Set(['allowedRecipients', 'unpricedTokens']);

const POSITIONALS = {
  field: `One of ${Object.keys(FIELDS).join(', ')}`,
  value: 'A list has commas; null or [] empties it',
};

/** Reads the change that a command names. @throws UsageError */
function changeOf(name: string, value: string): Changes {
  const field = Object.keys(FIELDS).find((each) => each.toLowerCase() === name.toLowerCase());
  if (!field) throw new UsageError(`${name} is not a field of the policy: ${Object.keys(FIELDS).join(', ')}.`);
  if (value === 'null') return { [field]: FULL_LISTS.has(field) ? [] : null };
  return { [field]: READERS[FIELDS[field as keyof Changes]](field, value) };
}

const READERS: Readonly<Record<Kind, (field: string, value: string) => unknown>> = {
  number: toDecimal,
  switch: (field, value) => {
    if (value !== 'true' && value !== 'false') throw new UsageError(`${field} takes true or false, not ${value}.`);
    return value === 'true';
  },
  list: (_field, value) => (value === '[]' ? [] : value.split(',').filter((entry) => entry !== '')),
  text: (_field, value) => value,
};

function policyLines({ policy, version, claimed, warnings }: components['schemas']['PolicyResult']): string {
  const fields = Object.entries(policy).map(([name, value]) => [name, shown(value, name)] as const);
  return pairs([
    ...fields,
    ['version', version],
    ['owner', claimed ? 'claimed' : 'unclaimed'],
    ...warnings.map((warning) => ['warning', shown(warning)] as const),
  ]);
}

/** Writes a value of a field; an empty list of recipients allows every one. */
function shown(value: unknown, name = ''): string {
  if (Array.isArray(value)) return value.join(',') || (name === 'allowedRecipients' ? 'everyone' : '(empty)');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

const show: Command = {
  usage: ['show', '$0'],
  summary: 'Show the limits and their use',
  examples: [['policy', 'Show the limits and their use']],
  run: async (context) => {
    const wallet = context.wallet();
    const [result, usage] = await Promise.all([wallet.policy.get(), wallet.policy.usage()]);
    context.output.result({ ...result, usage }, ({ usd, time }) => {
      const used = pairs([
        ['Used', usd(usage.usedUsd)],
        ['Remaining today', usd(usage.remainingTodayUsd)],
        ['Most in one operation now', usd(usage.maxAllowedNowUsd)],
        ['More from', time(usage.resetsAt)],
        ...grantEntries(usage.grant, { usd, time }),
      ]);
      return `${policyLines(result)}\n\n${used}`;
    });
  },
};

const set: Command = {
  usage: 'set <field> <value>',
  summary: 'Change a field',
  examples: [
    ['policy set dailyLimitInUsd 200', 'Set the limit of a day'],
    ['policy set allowTrading false --version 4', 'Change it only if the policy is still version 4'],
  ],
  positionals: POSITIONALS,
  values: { field: Object.keys(FIELDS) },
  options: { version: 'Change only this version of the policy' },
  run: async (context, args) => {
    const version = optionalInteger(args, 'version');
    const change = changeOf(text(args, 'field'), text(args, 'value'));
    const result = await context.wallet().policy.update(change, given({ version }));
    context.output.result(result, () => policyLines(result));
  },
};

const propose: Command = {
  usage: 'propose <field> <value>',
  summary: 'Ask the owner for a change',
  examples: [['policy propose dailyLimitInUsd 5000 --note "for the launch"', 'Ask for a higher limit']],
  positionals: POSITIONALS,
  values: { field: Object.keys(FIELDS) },
  options: { note: 'Reason for the owner' },
  run: async (context, args) => {
    const change = changeOf(text(args, 'field'), text(args, 'value'));
    const result = await context.wallet().policy.propose(change, optionalText(args, 'note'));
    const { id, expiresAt } = result.approval;
    context.output.result(result, ({ time }) =>
      pairs([
        ['Asked the owner', id],
        ['Until', time(expiresAt)],
      ]),
    );
  },
};

export const policy: Command = {
  usage: 'policy',
  summary: 'Show or change the limits',
  examples: [
    ['policy', 'Show the limits'],
    ['policy set dailyLimitInUsd 200', 'Set a limit'],
  ],
  commands: [show, set, propose],
};
