import type { walletV1 } from '@agent-wallet/contracts';
import { operationOf, reasonOf } from '../command-line.js';
import type { Command } from './command.js';

const LIMIT = 100;

const lineOf = (operation: walletV1.Operation) =>
  [
    new Date(Number(operation.createdAtMs)).toISOString(),
    operation.operationId,
    operation.action,
    operation.state,
    `agent ${operation.agentId}`,
    operation.signature || '(not signed)',
  ].join('  ');

export const open: Command = {
  async run({ olderThanMs }, { wallet }, print) {
    const { operations } = await wallet.listOpenOperations({ minAgeMs: olderThanMs, limit: LIMIT });
    operations.forEach((operation) => print(lineOf(operation)));
    const more = operations.length === LIMIT ? ', perhaps more' : '';
    print(`${operations.length} open${more}`);
  },
};

export const explain: Command = {
  check: (order) => void operationOf(order),
  async run(order, { wallet }, print) {
    const { operation, chain, next } = await wallet.explainOperation({ operationId: operationOf(order) });
    if (operation) print(lineOf(operation));
    print(`chain: ${chain}`);
    print(`next:  ${next}`);
  },
};

export const resend: Command = {
  check(order) {
    operationOf(order);
    reasonOf(order);
  },
  async run(order, { wallet }, print) {
    const note = { operator: order.operator, reason: reasonOf(order) };
    const { signature } = await wallet.resendOperation({ operationId: operationOf(order), ...note });
    print(`sent again: ${signature}`);
  },
};
