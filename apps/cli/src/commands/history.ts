import type { components } from '@agent-wallet/sdk';
import { given, optionalInteger, optionalText, text } from '../args.js';
import type { Command } from '../command.js';
import { exactAmount, pairs, table } from '../output.js';

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
    const found = await context
      .wallet()
      .history(query)
      .all(optionalInteger(args, 'limit') ?? DEFAULT_LIMIT);
    context.output.result({ transactions: found }, () =>
      table(
        ['CREATED', 'ACTION', '>AMOUNT', 'TO', 'STATUS', 'ID'],
        found.map((record) => [
          record.createdAt,
          record.action,
          amountText(record),
          record.to,
          record.status,
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
    context.output.result(record, () =>
      pairs([
        ['Id', record.id],
        ['Action', record.action],
        ['Status', record.status],
        ['Amount', amountText(record)],
        ['To', record.to],
        ['Signature', record.signature],
        ['Created', record.createdAt],
        ['Updated', record.updatedAt],
        ...metadata.filter(([, value]) => value !== 'null'),
      ]),
    );
  },
};

export const HISTORY_COMMANDS: readonly Command[] = [history, transaction];
