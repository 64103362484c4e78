import type { operationsV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { operationOf, reasonOf } from '../command-line.js';
import type { Services } from '../services.js';
import type { Command } from './command.js';

const LIMIT = 100;

type Owner = Services['operations'][number];

/** Asks one owner after the other, until one knows the operation. @throws AppError NOT_FOUND when nobody does */
async function askOwner<Answer>({ operations }: Services, ask: (owner: Owner) => Promise<Answer>): Promise<Answer> {
  for (const owner of operations) {
    try {
      return await ask(owner);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
    }
  }
  throw new AppError('NOT_FOUND', { message: 'There is no operation of this id.' });
}

const lineOf = (operation: operationsV1.Operation) =>
  [
    new Date(Number(operation.createdAtMs)).toISOString(),
    operation.operationId,
    operation.action,
    operation.state,
    `agent ${operation.agentId}`,
    operation.signature || '(not signed)',
  ].join('  ');

export const open: Command = {
  async run({ olderThanMs = 0 }, services, print) {
    const lists = await Promise.all(
      services.operations.map((owner) => owner.listOpenOperations({ minAgeMs: olderThanMs, limit: LIMIT })),
    );
    const operations = lists.flatMap((list) => list.operations);
    operations.sort((a, b) => Number(a.createdAtMs - b.createdAtMs));
    operations.forEach((operation) => print(lineOf(operation)));
    const more = lists.some((list) => list.operations.length === LIMIT) ? ', perhaps more' : '';
    print(`${operations.length} open${more}`);
  },
};

export const explain: Command = {
  check: (order) => void operationOf(order),
  async run(order, services, print) {
    const operationId = operationOf(order);
    const { operation, outside, next } = await askOwner(services, (owner) => owner.explainOperation({ operationId }));
    if (operation) print(lineOf(operation));
    print(`outside: ${outside}`);
    print(`next:    ${next}`);
  },
};

export const endOperation: Command = {
  check(order) {
    operationOf(order);
    reasonOf(order);
  },
  async run(order, services, print) {
    const request = { operationId: operationOf(order), operator: order.operator, reason: reasonOf(order) };
    await askOwner(services, (owner) => owner.endHeldOperation(request));
    print('ended: it is never carried out from here on');
  },
};

export const resend: Command = {
  check(order) {
    operationOf(order);
    reasonOf(order);
  },
  async run(order, services, print) {
    const request = { operationId: operationOf(order), operator: order.operator, reason: reasonOf(order) };
    const { signature } = await askOwner(services, (owner) => owner.resendOperation(request));
    print(`sent again: ${signature || '(its signature is not known yet)'}`);
  },
};
