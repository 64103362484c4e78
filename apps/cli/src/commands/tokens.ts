import { type components, NoAnswerError, type TokenGrant } from '@agent-wallet/sdk';
import { type Args, given, optionalDecimal, optionalInteger, optionalTexts, text, toWord } from '../args.js';
import type { Command } from '../command.js';
import type { Context } from '../context.js';
import { UsageError } from '../exit-codes.js';
import { pairs, type View } from '../view.js';

type Token = components['schemas']['ScopedToken'];
type Scope = components['schemas']['TokenScope'];

/** The rights that a token may be opened with. */
const SCOPES = Object.keys({
  read: true,
  transfer: true,
  trade: true,
  predict: true,
  liquidity: true,
  propose: true,
} satisfies Record<Scope, true>) as Scope[];

const list: Command = {
  usage: ['list', '$0'],
  summary: 'List the live tokens',
  examples: [['tokens list', 'List the tokens, the oldest first']],
  run: async (context) => {
    const found = await context.wallet().tokens.list();
    context.output.result(found, (view) =>
      view.table(
        ['NAME', 'SCOPES', 'LIMITS', '>USED TODAY', 'EXPIRES', 'ID'],
        found.tokens.map((token) => [
          token.name,
          token.scopes.join(','),
          limitsOf(token, view),
          view.usd(token.usedTodayUsd),
          view.time(token.expiresAt),
          token.id,
        ]),
        'No tokens.',
      ),
    );
  },
};

/** Returns the limits of a token in words; empty where those of the policy are all that hold. */
function limitsOf({ maxSingleInUsd, dailyLimitInUsd, totalLimitInUsd, recipients }: Token, { usd }: View): string {
  return [
    ...(maxSingleInUsd === null ? [] : [`${usd(maxSingleInUsd)} each`]),
    ...(dailyLimitInUsd === null ? [] : [`${usd(dailyLimitInUsd)} a day`]),
    ...(totalLimitInUsd === null ? [] : [`${usd(totalLimitInUsd)} in all`]),
    ...(recipients === null
      ? []
      : [`to ${recipients.length === 1 ? recipients[0] : `${recipients.length} addresses`}`]),
  ].join(', ');
}

const open: Command = {
  usage: 'open <name>',
  summary: 'Open a token, and show its secret once',
  examples: [
    [
      'tokens open "Trading bot" --scopes read,trade --max-single 20 --daily 50',
      'Let a bot trade for 50 dollars a day',
    ],
    ['tokens open Payroll --scopes transfer --to 8dPB…xRHc --to 4Nd1…pKQe', 'Let a program pay two addresses'],
  ],
  positionals: { name: 'What it is for, such as the name of the host' },
  options: {
    scopes: `What it may do, with commas: ${SCOPES.join(', ')}`,
    'max-single': 'Most dollars of one operation',
    daily: 'Most dollars in any 24 hours',
    total: 'Most dollars as long as it lives',
    to: 'Address that it may pay; again for each further one',
    'expires-in': 'Hours until it expires',
  },
  run: async (context, args) => {
    const opened = await openOnce(context, grantOf(args));
    context.output.progress('Keep the secret now: it is not shown again. A program takes it as AW_TOKEN.');
    const { token, sessionToken } = opened;
    const lost = { next: `The secret is lost. End the token: aw tokens end ${token.id}.`, repeatable: false };
    const textOf = (view: View) =>
      pairs([
        ['Token', token.id],
        ['Scopes', token.scopes.join(',')],
        ['Limits', limitsOf(token, view)],
        ['Until', view.time(token.expiresAt)],
        ['Secret', sessionToken],
      ]);
    await context.output.effect(opened, textOf, lost);
  },
};

/** Opens a token, and says where one may be open whose secret was lost. */
async function openOnce(context: Context, grant: TokenGrant): Promise<components['schemas']['OpenedToken']> {
  try {
    return await context.wallet().tokens.open(grant);
  } catch (error) {
    if (error instanceof NoAnswerError) {
      context.output.progress(
        'A token may be open whose secret is lost. Before you run it again: aw tokens, aw tokens end ID.',
      );
    }
    throw error;
  }
}

/** Reads the grant that a command line describes. @throws UsageError */
function grantOf(args: Args): TokenGrant {
  return given({
    name: text(args, 'name'),
    scopes: scopesOf(args),
    recipients: optionalTexts(args, 'to'),
    maxSingleInUsd: optionalDecimal(args, 'max-single'),
    dailyLimitInUsd: optionalDecimal(args, 'daily'),
    totalLimitInUsd: optionalDecimal(args, 'total'),
    expiresInHours: optionalInteger(args, 'expires-in'),
  });
}

function scopesOf(args: Args): Scope[] {
  const words = (optionalTexts(args, 'scopes') ?? []).flatMap((value) => value.split(','));
  if (words.length === 0) throw new UsageError(`--scopes is missing: some of ${SCOPES.join(',')}.`);
  return words.map((word) => toWord('--scopes', word.trim(), SCOPES));
}

const end: Command = {
  usage: 'end <id>',
  summary: 'End a token',
  examples: [['tokens end 01938f70-0000-7000-8000-000000000001', 'End this token, and what of it waits for the owner']],
  positionals: { id: 'Id of the token' },
  run: async (context, args) => {
    const id = text(args, 'id');
    const ended = await context.wallet().tokens.end(id);
    context.output.result(ended, () => `Ended ${id}.`);
  },
};

export const tokens: Command = {
  usage: 'tokens',
  summary: 'List, open or end tokens with a part of your rights',
  examples: [
    ['tokens', 'List the live tokens'],
    ['tokens open "Trading bot" --scopes read,trade --daily 50', 'Let a bot trade for 50 dollars a day'],
    ['tokens end ID', 'End a token'],
  ],
  commands: [list, open, end],
};
