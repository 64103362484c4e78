import type { AgentWallet, components } from '@agent-wallet/sdk';
import { type Args, flag, given, limitOf, optionalText, text, toWord } from '../args.js';
import type { Command } from '../command.js';
import type { Context } from '../context.js';
import { csvOf } from '../csv.js';
import { UsageError } from '../exit-codes.js';
import { optionalTime } from '../times.js';
import { exactAmount, pairs, type View } from '../view.js';
import { purposeOf } from './purpose.js';

type Transaction = components['schemas']['Transaction'];

type Query = NonNullable<Parameters<AgentWallet['history']>[0]>;

const DEFAULT_LIMIT = 20;
const LARGEST_PAGE = 100;
const STATUSES = [
  ...(['pending', 'awaiting_approval', 'submitted', 'confirmed', 'failed', 'expired'] as const),
  ...(['rejected_by_policy', 'rejected_by_owner', 'cancelled'] as const),
] as const satisfies readonly Query['status'][];

function amountText({ amountRaw, decimals, asset }: Transaction): string {
  if (amountRaw === null || decimals === null) return '-';
  return `${exactAmount(amountRaw, decimals)} ${asset ?? ''}`.trim();
}

function filterOf(context: Context, args: Args): Query {
  const clock = { nowMs: context.surroundings.nowMs(), isUtc: flag(args, 'utc') };
  const status = optionalText(args, 'status');
  return given({
    action: optionalText(args, 'action') as Query['action'],
    from: optionalTime(args, 'from', clock),
    to: optionalTime(args, 'to', clock),
    status: status === undefined ? undefined : toWord('--status', status, STATUSES),
    recipient: optionalText(args, 'recipient'),
    search: optionalText(args, 'search'),
  });
}

function tableOf(found: readonly Transaction[], view: View): string {
  const rows = found.map((record) => [
    view.time(record.createdAt),
    record.action,
    amountText(record),
    record.status,
    purposeOf(record, view),
    record.id,
  ]);
  return view.table(['CREATED', 'ACTION', '>AMOUNT', 'STATUS', 'FOR', 'ID'], rows, 'Nothing yet.');
}

const FIELDS = ['createdAt', 'action', 'status', 'amount', 'asset', 'mint', 'to', 'for', 'signature', 'id'] as const;

function csvText(found: readonly Transaction[], view: View): string {
  const rows = found.map((record) => {
    const { amountRaw, decimals } = record;
    const amount = amountRaw === null || decimals === null ? null : exactAmount(amountRaw, decimals);
    const cells = { ...record, amount, for: purposeOf(record, view) };
    return FIELDS.map((field) => cells[field]);
  });
  return csvOf(FIELDS, rows);
}

const history: Command = {
  usage: 'history',
  summary: 'List operations, the newest first',
  examples: [
    ['history --action trade --limit 5', 'List the last five trades'],
    ['history --from 7d --status failed', 'List what failed in the last seven days'],
    ['history --from 2026-11-01 --to 2026-12-01 --csv', 'Write the records of November for a spreadsheet'],
  ],
  options: {
    action: 'Only of this action, such as transfer or trade',
    from: 'Created since: a date, a time, or how long ago, such as 7d (m, h, d, w)',
    to: 'Created before: the same',
    status: `Only with this status: ${STATUSES.join(', ')}`,
    recipient: 'Only payments to this address',
    search: 'Words in memo, ticker and symbols',
    limit: `Most records, ${DEFAULT_LIMIT}; all with --csv`,
  },
  flags: { csv: 'Print CSV; times are of UTC' },
  notes: 'Dates and times without a zone are local, or of UTC with --utc.',
  run: async (context, args) => {
    const isCsv = flag(args, 'csv');
    if (isCsv && context.output.isJson)
      throw new UsageError('--csv and --json are two formats: leave one of them out.');
    const limit = limitOf(args, isCsv ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
    const query = { ...filterOf(context, args), limit: Math.min(limit, LARGEST_PAGE) };
    const found = await context.wallet().history(query).all(limit);
    if (isCsv) context.output.document((view) => csvText(found, view));
    else context.output.result({ transactions: found }, (view) => tableOf(found, view));
  },
};

const transaction: Command = {
  usage: 'transaction <id>',
  summary: 'Show one operation',
  examples: [['transaction 01938f70-0000-7000-8000-000000000001', 'Show this operation']],
  positionals: { id: 'Id of the operation' },
  run: async (context, args) => {
    const record = await context.wallet().transaction(text(args, 'id'));
    const metadata = Object.entries(record.metadata).map(
      ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    );
    context.output.result(record, (view) =>
      pairs([
        ['Id', record.id],
        ['Action', record.action],
        ['Status', record.status],
        ['Amount', amountText(record)],
        ['To', record.to],
        ['For', purposeOf(record, view)],
        ['Signature', record.signature],
        ['Created', view.time(record.createdAt)],
        ['Updated', view.time(record.updatedAt)],
        ...metadata.filter(([, value]) => value !== 'null'),
      ]),
    );
  },
};

export const HISTORY_COMMANDS: readonly Command[] = [history, transaction];
