import type { components } from '@agent-wallet/sdk';
import { text } from '../args.js';
import type { Command } from '../command.js';
import { pairs, type View } from '../view.js';

type Approval = components['schemas']['Approval'];

const MOST = 100;
const POSITIONALS = { id: 'Id of the request' };

function about({ subject, kind }: Approval, { usd }: View): string {
  const changes = subject.changes.map((change) => JSON.stringify(change)).join(' ');
  return [subject.action ?? kind, subject.valueUsd === null ? '' : usd(subject.valueUsd), changes]
    .filter(Boolean)
    .join(' ');
}

function lines(approval: Approval, view: View): string {
  const { time } = view;
  return pairs([
    ['Id', approval.id],
    ['State', approval.state],
    ['About', about(approval, view)],
    ['Transaction', approval.subject.transactionId],
    ['Note', approval.subject.note],
    ['Votes', `${approval.votes} of ${approval.threshold}`],
    ['Asked', time(approval.askedAt)],
    ['Expires', time(approval.expiresAt)],
    ['Decided', time(approval.decidedAt)],
    ['In effect from', time(approval.effectiveAt)],
  ]);
}

const list: Command = {
  usage: ['list', '$0'],
  summary: 'List requests to the owner',
  examples: [['approvals list', 'List the requests']],
  run: async (context) => {
    const approvals = await context.wallet().approvals.list().all(MOST);
    context.output.result({ approvals }, (view) =>
      view.table(
        ['ID', 'STATE', 'ABOUT', 'EXPIRES'],
        approvals.map((approval) => [
          approval.id,
          approval.state,
          about(approval, view),
          view.time(approval.expiresAt),
        ]),
        'No requests.',
      ),
    );
  },
};

const show: Command = {
  usage: 'show <id>',
  summary: 'Show a request',
  examples: [['approvals show 01938f70-0000-7000-8000-000000000001', 'Show this request']],
  positionals: POSITIONALS,
  run: async (context, args) => {
    const details = await context.wallet().approvals.get(text(args, 'id'));
    context.output.result(details, (view) => lines(details.approval, view));
  },
};

const withdraw: Command = {
  usage: 'withdraw <id>',
  summary: 'Withdraw a request',
  examples: [['approvals withdraw 01938f70-0000-7000-8000-000000000001', 'Withdraw this request']],
  positionals: POSITIONALS,
  run: async (context, args) => {
    const result = await context.wallet().approvals.withdraw(text(args, 'id'));
    context.output.result(result, (view) => lines(result.approval, view));
  },
};

export const APPROVAL_COMMANDS: readonly Command[] = [
  {
    usage: 'approvals',
    summary: 'Requests to the owner',
    examples: [
      ['approvals', 'List the requests'],
      ['approvals withdraw ID', 'Withdraw one'],
    ],
    commands: [list, show, withdraw],
  },
];
