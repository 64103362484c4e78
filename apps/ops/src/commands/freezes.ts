import { agentOf, type Order, reasonOf } from '../command-line.js';
import type { Print } from '../print.js';
import type { Services } from '../services.js';
import type { Command } from './command.js';

const nameOf = (agentId: string) => (agentId === '' ? 'everything' : `agent ${agentId}`);

function check(order: Order): void {
  agentOf(order);
  reasonOf(order);
}

/** The policy first: from its answer on nothing is permitted, whoever still has a session. */
export const freeze: Command = {
  check,
  async run(order, { policy, gateway }, print) {
    const note = { agentId: agentOf(order), operator: order.operator, reason: reasonOf(order) };
    const { changed } = await policy.setFreeze({ ...note, frozen: true });
    print(`${nameOf(note.agentId)} ${changed ? 'is frozen: nothing more is permitted' : 'was frozen already'}`);
    const { revoked } = await gateway.revokeSessions(note);
    print(`${revoked} ${revoked === 1n ? 'session' : 'sessions'} ended`);
  },
};

export const unfreeze: Command = {
  check,
  async run(order: Order, { policy }: Services, print: Print) {
    const note = { agentId: agentOf(order), operator: order.operator, reason: reasonOf(order) };
    const { changed } = await policy.setFreeze({ ...note, frozen: false });
    print(`${nameOf(note.agentId)} ${changed ? 'is not frozen any more' : 'was not frozen'}`);
  },
};

export const frozen: Command = {
  async run(_order, { policy }, print) {
    const { freezes } = await policy.listFreezes({});
    if (freezes.length === 0) print('nothing is frozen');
    for (const { agentId, operator, reason, sinceMs } of freezes) {
      print(`${nameOf(agentId)}, since ${new Date(Number(sinceMs)).toISOString()}, by ${operator}: ${reason}`);
    }
  },
};
