import type { operationsV1 } from '@agent-wallet/contracts';
import { AppError, notFound } from '@agent-wallet/kernel';
import { type Input, noSubject, operationOf, reasonOf, UsageError } from '../command-line.js';
import type { Services } from '../services.js';
import type { Command } from './command.js';

const LIMIT = 100;

type Owner = Services['operations'][number];

/** Calls one service after the other, until one knows the operation. @throws AppError NOT_FOUND when none does */
async function callOwner<Response>(
  { operations }: Services,
  call: (owner: Owner) => Promise<Response>,
): Promise<Response> {
  for (const owner of operations) {
    try {
      return await call(owner);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
    }
  }
  throw notFound('operation', 'Check its id.');
}

const toJson = ({ operationId, agentId, action, state, createdAtMs, signature }: operationsV1.Operation) => ({
  operationId,
  agentId,
  action,
  state,
  createdAt: new Date(Number(createdAtMs)).toISOString(),
  signature: signature || null,
});

function lineOf(operation: operationsV1.Operation): string {
  const { createdAt, operationId, action, state, agentId, signature } = toJson(operation);
  return [createdAt, operationId, action, state, `agent ${agentId}`, signature ?? '(not signed)'].join('  ');
}

export const listOperations: Command = {
  usage: '--open [--older-than 5m]',
  help: `Lists open operations, the oldest first; at most ${LIMIT} of each service.`,
  check(input) {
    noSubject(input);
    if (!input.open) throw new UsageError(`${input.command} takes --open: it lists open operations only.`);
  },
  async run({ olderThanMs = 0 }, services) {
    const lists = await Promise.all(
      services.operations.map((owner) => owner.listOpenOperations({ minAgeMs: olderThanMs, limit: LIMIT })),
    );
    const operations = lists.flatMap((list) => list.operations);
    operations.sort((a, b) => Number(a.createdAtMs - b.createdAtMs));
    const hasMore = lists.some((list) => list.operations.length === LIMIT);
    return {
      json: { operations: operations.map(toJson), hasMore },
      lines: [...operations.map(lineOf), `Open operations: ${operations.length}${hasMore ? ', perhaps more' : ''}.`],
    };
  },
};

export const getOperation: Command = {
  usage: '<operation>',
  help: 'Shows one operation: what the chain or the exchange knows of it, and what will end it.',
  check: (input) => void operationOf(input),
  async run(input, services) {
    const operationId = operationOf(input);
    const found = await callOwner(services, (owner) => owner.explainOperation({ operationId }));
    const { operation, externalState, nextStep } = found;
    return {
      json: { operation: operation ? toJson(operation) : null, externalState, nextStep },
      lines: [
        ...(operation ? [lineOf(operation)] : []),
        `External state: ${externalState}`,
        `Next step:      ${nextStep}`,
      ],
    };
  },
};

function checkChange(input: Input): void {
  operationOf(input);
  reasonOf(input);
}

const changeOf = (input: Input) => ({
  operationId: operationOf(input),
  operator: input.operator,
  reason: reasonOf(input),
});

export const rejectOperation: Command = {
  usage: '<operation> --reason TEXT',
  help: 'Ends an operation that a recovery holds, because the chain shows that it was carried out.',
  check: checkChange,
  async run(input, services) {
    const request = changeOf(input);
    await callOwner(services, (owner) => owner.rejectOperation(request));
    return {
      json: { operationId: request.operationId, rejected: true },
      lines: ['Rejected. The operation will never be carried out.'],
    };
  },
};

export const resendOperation: Command = {
  usage: '<operation> --reason TEXT',
  help: 'Sends the signed bytes of an operation again. They are the same bytes, so it is always safe.',
  check: checkChange,
  async run(input, services) {
    const request = changeOf(input);
    const { signature } = await callOwner(services, (owner) => owner.resendOperation(request));
    return {
      json: { operationId: request.operationId, signature: signature || null },
      lines: [`Sent again: ${signature || '(its signature is not known yet)'}`],
    };
  },
};
