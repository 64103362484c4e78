import type { components } from '@agent-wallet/sdk';
import { given, limitOf, optionalText, text } from '../args.js';
import type { Command } from '../command.js';
import { exactAmount, pairs } from '../view.js';
import { purposeOf } from './purpose.js';

type Transaction = components['schemas']['Transaction'];

const DEFAULT_LIMIT = 20;

function amountText({ amountRaw, decimals, asset }: Transaction): string {
  if (amountRaw === null || decimals === null) return '-';
  return `${exactAmount(amountRaw, decimals)} ${asset ?? ''}`.trim();
}

const history: Command = {
  usage: 'history',
  summary: 'List operations, the newest first',
  examples: [['history --action trade --limit 5', 'List the last five trades']],
  options: { action: 'Only of this action, such as transfer or trade', limit: `Most records, ${DEFAULT_LIMIT}` },
  run: async (context, args) => {
    const action = optionalText(args, 'action');
    const query = given({ action }) as Parameters<ReturnType<typeof context.wallet>['history']>[0];
    const found = await context.wallet().history(query).all(limitOf(args, DEFAULT_LIMIT));
    context.output.result({ transactions: found }, (view) =>
      view.table(
        ['CREATED', 'ACTION', '>AMOUNT', 'STATUS', 'FOR', 'ID'],
        found.map((record) => [
          view.time(record.createdAt),
          record.action,
          amountText(record),
          record.status,
          purposeOf(record, view),
          record.id,
        ]),
        'Nothing yet.',
      ),
    );
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
