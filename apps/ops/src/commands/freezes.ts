import { agentOf, type Input, noSubject, reasonOf, UsageError } from '../command-line.js';
import type { Command } from './command.js';
import { endOwnersFreeze } from './owners.js';

const nameOf = (agentId: string) => (agentId === '' ? 'all agents' : `agent ${agentId}`);

/** Returns whether a command means the freeze of an agent's owners. @throws UsageError */
function isOfOwners({ source = 'operator' }: Input): boolean {
  if (source === 'owner' || source === 'operator') return source === 'owner';
  throw new UsageError('--source takes operator or owner.');
}

function check(input: Input): void {
  agentOf(input);
  reasonOf(input);
}

/** Policy first: once it has responded, it permits nothing, whether or not a session is still open. */
export const createFreeze: Command = {
  usage: '<agent|all> --reason TEXT',
  help: 'Denies everything that would move money, at once, and ends the sessions.',
  check,
  async run(input, { policy, gateway }) {
    const note = { agentId: agentOf(input), operator: input.operator, reason: reasonOf(input) };
    const { changed } = await policy.setFreeze({ ...note, frozen: true });
    const frozen = changed
      ? `${nameOf(note.agentId)}: frozen. Policy permits nothing more.`
      : `${nameOf(note.agentId)}: already frozen.`;
    const json = { agentId: note.agentId || null, changed };
    try {
      const { revoked } = await gateway.revokeSessions(note);
      return { json: { ...json, sessionsEnded: revoked }, lines: [frozen, `Sessions ended: ${revoked}.`] };
    } catch (error) {
      // The freeze holds, and an operator in an incident has to know that first.
      const failure = `Sessions were not ended (${(error as Error).message}). Run the command again.`;
      return { json: { ...json, sessionsEnded: null, failure }, lines: [frozen], failure };
    }
  },
};

export const deleteFreeze: Command = {
  usage: '<agent|all> --reason TEXT [--source owner [--withdraw]]',
  help: 'Lifts an operator’s freeze; agents have to log in again. An owner’s ends after 72 hours, unless one objects.',
  check(input) {
    if (isOfOwners(input)) return endOwnersFreeze.check!(input);
    check(input);
    if (input.withdraw) throw new UsageError('--withdraw takes back the end of an owner’s freeze: --source owner.');
  },
  async run(input, services) {
    if (isOfOwners(input)) return endOwnersFreeze.run(input, services);
    const { policy } = services;
    const note = { agentId: agentOf(input), operator: input.operator, reason: reasonOf(input) };
    const { changed } = await policy.setFreeze({ ...note, frozen: false });
    return {
      json: { agentId: note.agentId || null, changed },
      lines: [`${nameOf(note.agentId)}: ${changed ? 'unfrozen' : 'was not frozen'}.`],
    };
  },
};

export const listFreezes: Command = {
  usage: '',
  help: 'Lists freezes: since when, by whom, and why.',
  check: noSubject,
  async run(_input, { policy }) {
    const { freezes, total } = await policy.listFreezes({});
    const found = freezes.map(({ agentId, operator, reason, sinceMs, source }) => ({
      agentId: agentId || null,
      since: new Date(Number(sinceMs)).toISOString(),
      operator,
      reason,
      source,
    }));
    const lines = found.map(
      ({ agentId, since, operator, reason }) => `${nameOf(agentId ?? '')}, since ${since}, by ${operator}: ${reason}`,
    );
    if (total > found.length) lines.push(`The oldest ${found.length} of ${total} freezes.`);
    return { json: { freezes: found, total }, lines: lines.length === 0 ? ['Nothing is frozen.'] : lines };
  },
};
