import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

type Values = Readonly<Record<string, string>>;

/** A prompt that a person picks in the host. */
interface WalletPrompt {
  readonly listed: Prompt & { readonly arguments: NonNullable<Prompt['arguments']> };
  readonly text: (values: Values) => string;
}

const PROMPTS: readonly WalletPrompt[] = [
  {
    listed: {
      name: 'spending_report',
      title: 'Report on spending',
      description: 'Sums up what the wallet spent and received, and what is left of its limits.',
      arguments: [{ name: 'period', description: 'Such as "this week"; the last seven days when omitted.' }],
    },
    text: ({ period = 'the last seven days' }) =>
      `Report on this wallet for ${period}. Read get_balances, get_policy_usage and list_transactions (all pages that the ` +
      'period needs). Show a table of outgoing operations with date, action, amount, token and recipient. Then give the ' +
      'totals in dollars by action, what waits for the owner, and what is left of the daily limit. Use only what the tools return.',
  },
  {
    listed: {
      name: 'request_limit_change',
      title: 'Ask the owner for another limit',
      description: 'Proposes a change of the policy to the owner, with a reason.',
      arguments: [
        { name: 'change', description: 'Such as "a daily limit of 900 dollars".', required: true },
        { name: 'reason', description: 'Why, for the owner to read.', required: true },
      ],
    },
    text: ({ change, reason }) =>
      `Read get_policy and get_policy_usage. If ${change} is not allowed already, call propose_policy_change with exactly that ` +
      `change and the note: ${reason}. Then show where the owner decides. Do not propose anything else, and do not split ` +
      'payments to get around a limit.',
  },
];

export function listPrompts(): Prompt[] {
  return PROMPTS.map(({ listed }) => listed);
}

/** Returns a prompt with its arguments filled in. @throws ProtocolError for an unknown name or a missing argument */
export function getPrompt(name: string, given: Values = {}): GetPromptResult {
  const prompt = PROMPTS.find(({ listed }) => listed.name === name);
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown prompt.');
  const { description, arguments: known } = prompt.listed;
  const missing = known.find((each) => each.required && !given[each.name]?.trim());
  if (missing) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The argument ${missing.name} is required.`);
  const values = Object.fromEntries(Object.entries(given).filter(([, value]) => value.trim() !== ''));
  return {
    ...(description === undefined ? {} : { description }),
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(values) } }],
  };
}
