import { policyV1 } from '@agent-wallet/contracts';
import { approvalOf, type Input, oneAgentOf, reasonOf } from '../command-line.js';
import type { Services } from '../services.js';
import type { Command, Report } from './command.js';

const { OVERRULED_ACT_RELEASE: RELEASE, OVERRULED_ACT_UNFREEZE: UNFREEZE } = policyV1.OverruledAct;

const timeOf = (unixMs: bigint) => new Date(Number(unixMs)).toISOString();

function check(input: Input): void {
  oneAgentOf(input);
  reasonOf(input);
}

/** Has an operator overrule the owners of an agent, or take that back. */
async function overrule(input: Input, { owners }: Services, act: policyV1.OverruledAct): Promise<Report> {
  const [agentId, reason, { operator, withdraw }] = [oneAgentOf(input), reasonOf(input), input];
  const answer = await owners.overruleOwners({ agentId, act, operator, reason, withdraw });
  const { approvalId, expiresAtMs } = answer.objection!;
  const effectiveAt = withdraw ? null : timeOf(expiresAtMs);
  const effect = act === RELEASE ? 'it has no owner' : 'its owners’ freeze ends';
  return {
    json: { agentId, approvalId, effectiveAt },
    lines: withdraw
      ? [`agent ${agentId}: withdrawn. Nothing changes for its owners.`]
      : [
          `agent ${agentId}: from ${effectiveAt} on ${effect}, unless one of them objects by a signature.`,
          `The owners get a mail about it. Approval: ${approvalId}.`,
        ],
  };
}

export const releaseAgent: Command = {
  usage: '<agent> --reason TEXT [--withdraw]',
  help: 'Takes all owners from an agent after 72 hours, unless one of them objects by a signature.',
  check,
  run: (input, services) => overrule(input, services, RELEASE),
};

/** Ends an owners' freeze: a part of `freezes delete`. */
export const endOwnersFreeze: Pick<Command, 'check' | 'run'> = {
  check,
  run: (input, services) => overrule(input, services, UNFREEZE),
};

export const confirmRecovery: Command = {
  usage: '<approval> --reason TEXT',
  help: 'Confirms who asks to replace lost passkeys: 72 hours later it is done, unless that owner’s session rejects it.',
  check(input) {
    approvalOf(input);
    reasonOf(input);
  },
  async run(input, { owners }) {
    const note = { operator: input.operator, reason: reasonOf(input) };
    const { recovery } = await owners.confirmRecovery({ approvalId: approvalOf(input), ...note });
    const { approvalId, ownerId, effectiveAtMs } = recovery!;
    const effectiveAt = timeOf(effectiveAtMs);
    return {
      json: { approvalId, ownerId, effectiveAt },
      lines: [`owner ${ownerId}: from ${effectiveAt} on the new passkey replaces all others, unless it is rejected.`],
    };
  },
};
