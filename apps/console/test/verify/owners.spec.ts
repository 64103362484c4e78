import type { OwnerCause } from '@agent-wallet/audit';
import { newId } from '@agent-wallet/kernel';
import { Authenticator } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { describeFinding, describeNotChecked } from '../../web/verify/describe.js';
import { ORIGIN } from './recorded-agent.js';
import { RecordedOwners } from './recorded-owners.js';

type Chain = readonly [string, (agent: RecordedOwners) => void];
type Alteration = readonly [string, ReadonlyArray<ReturnType<typeof cause>>, (agent: RecordedOwners) => void];

const MINUTE = 1 / 60;
/** Returns the part of a finding that a test expects. */
const cause = (code: OwnerCause['code'], facts: object = {}) => ({
  cause: expect.objectContaining({ code, ...facts }),
});
const NOT_OWNER = cause('signer_not_owner');
const REMOVED = cause('owner_removed_unsigned');
const JOINED = cause('owner_added_unsigned');
const UNRECOVERED = [cause('passkey_not_approved'), cause('removal_not_approved'), cause('removal_not_approved')];
const LOOSENED = cause('loosened_without_approval');
const newKey = () => new Authenticator(ORIGIN);

function approve(agent: RecordedOwners, { ownerId, authenticator } = agent.one): void {
  agent.approve(authenticator, 'operation', { recipient: 'b' }, { ownerId });
}

function unfreeze(agent: RecordedOwners, hours = 72): void {
  const asked = agent.overrule('unfreeze');
  agent.wait(hours);
  agent.carryOut('unfreeze', asked);
}

/** Recovers the owner's passkeys by the operator. @param hours from the confirmation to the end */
function recover(agent: RecordedOwners, hours = 72): void {
  const found = newKey();
  const asked = agent.recover(found);
  agent.wait(1);
  agent.confirm(asked);
  agent.wait(hours);
  agent.replacePasskeys(found);
  agent.close(asked, 'applied');
}

const GOOD: readonly Chain[] = [
  [
    'owners who join, have equal rights, leave and come back',
    (agent) => {
      const [second, third] = [agent.newOwner(), agent.newOwner()];
      agent.join(second);
      agent.join(third, second);
      approve(agent, third);
      agent.leave(agent.one, second);
      approve(agent, second);
      agent.join(agent.one, third);
      approve(agent);
      agent.leave(agent.one);
    },
  ],
  [
    'a release of all owners after 72 hours, and a claim afterwards',
    (agent) => {
      const second = agent.newOwner();
      agent.join(second);
      agent.release(72, [agent.one, second]);
      agent.changePolicy(['dailyLimitInUsd', '600', '9000'], 'agent');
      agent.claim(agent.second);
      approve(agent);
      agent.release();
    },
  ],
  ['a release within the difference of two clocks', (agent) => agent.release(72 - MINUTE)],
  [
    'a release that an owner’s signature prevents, and one that the operator withdraws',
    (agent) => {
      const second = agent.newOwner();
      agent.join(second);
      const asked = agent.overrule('release');
      agent.wait(71);
      agent.vote(second.authenticator, asked, { ownerId: second.ownerId });
      agent.close(agent.overrule('release'), 'withdrawn');
      approve(agent);
    },
  ],
  ['the end of the owners’ freeze by an operator after 72 hours', (agent) => (unfreeze(agent), approve(agent))],
  [
    'the end of an operator’s own freeze at once',
    (agent) => {
      const value = { operator: 'alice', action: 'unfreeze', reason: 'checked', operationId: '' };
      agent.write({ $case: 'operatorActed', value });
    },
  ],
  [
    'an act with nothing left to overrule',
    (agent) => {
      const asked = agent.overrule('unfreeze');
      agent.wait(72);
      agent.close(asked, 'superseded');
    },
  ],
  ['a recovery 72 hours after the operator has confirmed it', (agent) => recover(agent)],
  [
    'a recovery by the signature of another owner, who has left since',
    (agent) => {
      const [second, found] = [agent.newOwner(), newKey()];
      agent.join(second);
      const asked = agent.recover(found);
      agent.replacePasskeys(found);
      agent.vote(second.authenticator, asked, { ownerId: second.ownerId });
      agent.leave(second, { ...agent.one, authenticator: found });
    },
  ],
];

const OWNERS: readonly Alteration[] = [
  ['an owner who joins without a vote', [JOINED], (agent) => agent.changeMember('added', agent.newOwner())],
  [
    'an owner who joins by a vote for another one',
    [JOINED],
    (agent) => {
      agent.join(agent.newOwner());
      agent.last('memberChanged').ownerId = newId();
    },
  ],
  [
    'an owner who joins by the inviting owner’s signature alone',
    [JOINED],
    (agent) => {
      const second = agent.newOwner();
      agent.invite(second);
      agent.changeMember('added', second);
    },
  ],
  [
    'an owner who joins by the own signature alone',
    [NOT_OWNER, JOINED],
    (agent) => {
      const second = agent.newOwner();
      const asked = agent.ask('member', { action: 'add', member: second.ownerId, email: 'b@example.com' });
      agent.changeMember('added', second);
      agent.vote(second.authenticator, { ...asked, ownerId: second.ownerId });
    },
  ],
  [
    'an owner who joins by the signature of one who has left',
    [NOT_OWNER, JOINED],
    (agent) => {
      const [second, third] = [agent.newOwner(), agent.newOwner()];
      agent.join(second);
      const asked = agent.invite(third, second);
      agent.leave(second);
      agent.changeMember('added', third);
      agent.vote(third.authenticator, { ...asked, ownerId: third.ownerId });
    },
  ],
  [
    'a vote by an owner who joined without a vote',
    [NOT_OWNER, JOINED],
    (agent) => {
      const second = agent.newOwner();
      agent.changeMember('added', second);
      approve(agent, second);
    },
  ],
  [
    'a removal without a vote, after which the owner decides still',
    [REMOVED],
    (agent) => (agent.changeMember('removed', agent.one), approve(agent)),
  ],
  [
    'a looser policy after a removal without a vote',
    [REMOVED, LOOSENED],
    (agent) => {
      agent.changeMember('removed', agent.one);
      agent.changePolicy(['dailyLimitInUsd', '600', '9000'], 'agent');
    },
  ],
  [
    'a removal by a vote for another one',
    [REMOVED],
    (agent) => {
      const second = agent.newOwner();
      agent.join(second);
      agent.leave(second);
      agent.last('memberChanged').ownerId = agent.ownerId;
    },
  ],
  [
    'a removal by the vote for the same owner to join',
    [REMOVED],
    (agent) => {
      const second = agent.newOwner();
      agent.join(second);
      agent.changeMember('removed', second);
    },
  ],
  [
    'votes by an owner who was removed',
    [NOT_OWNER, NOT_OWNER, NOT_OWNER, JOINED],
    (agent) => {
      const second = agent.newOwner();
      agent.join(second);
      agent.leave(second);
      approve(agent, second);
      agent.join(agent.newOwner(), second);
    },
  ],
  ['a vote by an owner after a release', [NOT_OWNER], (agent) => (agent.release(), approve(agent))],
];

const UNRELEASED = cause('act_without_delay', { action: 'release' });
const FROZEN = cause('act_without_delay', { action: 'unfreeze' });
const LOOSER = [REMOVED, cause('loosened_without_approval', { fields: ['approveAboveInUsd'] })] as const;
const RELEASED = [UNRELEASED, ...LOOSER] as const;

const ACTS: readonly Alteration[] = [
  ['a release one hour early', [cause('act_too_early'), ...RELEASED], (agent) => agent.release(71)],
  ['a release two minutes early', [cause('act_too_early'), ...RELEASED], (agent) => agent.release(72 - 2 * MINUTE)],
  [
    'a release before whose end the owner was removed',
    LOOSER,
    (agent) => {
      const asked = agent.overrule('release');
      agent.changeMember('removed', agent.one);
      agent.wait(72);
      agent.carryOut('release', asked, []);
    },
  ],
  [
    'a release to which an owner has objected',
    [cause('decided_by_owner'), ...RELEASED],
    (agent) => {
      const asked = agent.overrule('release');
      agent.vote(agent.first, asked);
      agent.wait(72);
      agent.carryOut('release', asked);
    },
  ],
  [
    'a release that was withdrawn',
    [cause('closed_before'), ...RELEASED],
    (agent) => {
      const asked = agent.overrule('release');
      agent.close(asked, 'withdrawn');
      agent.wait(72);
      agent.carryOut('release', asked);
    },
  ],
  [
    'a release that was not requested',
    [cause('request_missing'), ...RELEASED],
    (agent) => {
      const asked = agent.overrule('release');
      agent.written.pop();
      agent.wait(72);
      agent.carryOut('release', asked);
    },
  ],
  [
    'a release where the end of a freeze was requested',
    [cause('act_differs'), ...RELEASED],
    (agent) => {
      const asked = agent.overrule('unfreeze');
      agent.wait(72);
      agent.carryOut('release', asked);
    },
  ],
  [
    'a release that another operator has requested',
    [cause('act_differs'), ...RELEASED],
    (agent) => (agent.release(), (agent.last('operatorActed').operator = 'bob')),
  ],
  ['a release without an end', RELEASED, (agent) => (agent.release(), agent.written.pop())],
  [
    'a release without an act',
    [cause('act_missing'), ...LOOSER],
    (agent) => (agent.release(), agent.written.splice(-2, 1)),
  ],
  ['an unfreeze by an operator one hour early', [cause('act_too_early'), FROZEN], (agent) => unfreeze(agent, 71)],
  [
    'an unfreeze by an operator to which an owner has objected',
    [cause('decided_by_owner'), FROZEN],
    (agent) => {
      const asked = agent.overrule('unfreeze');
      agent.vote(agent.first, asked);
      agent.wait(72);
      agent.carryOut('unfreeze', asked);
    },
  ],
];

const RECOVERIES: readonly Alteration[] = [
  ['a recovery one hour early', [cause('recovery_not_confirmed'), ...UNRECOVERED], (agent) => recover(agent, 71)],
  [
    'a recovery without a confirmation',
    [cause('recovery_not_confirmed'), ...UNRECOVERED],
    (agent) => {
      recover(agent);
      agent.last('operatorActed').action = 'start_recovery';
    },
  ],
  [
    'a recovery that the owner has rejected',
    [cause('closed_before'), ...UNRECOVERED],
    (agent) => {
      const found = newKey();
      const asked = agent.recover(found);
      agent.confirm(asked);
      agent.close(asked, 'rejected');
      agent.wait(72);
      agent.replacePasskeys(found);
      agent.close(asked, 'applied');
    },
  ],
  [
    'a recovery with another key',
    UNRECOVERED,
    (agent) => {
      const asked = agent.recover(newKey());
      agent.confirm(asked);
      agent.wait(72);
      agent.replacePasskeys(newKey());
      agent.close(asked, 'applied');
    },
  ],
  [
    'a recovery whose key was added before its time',
    UNRECOVERED,
    (agent) => {
      const found = newKey();
      const asked = agent.recover(found);
      agent.confirm(asked);
      agent.replacePasskeys(found);
      agent.wait(72);
      agent.close(asked, 'applied');
    },
  ],
  ['a recovery without an end', UNRECOVERED, (agent) => (recover(agent), agent.written.pop())],
  [
    'a recovery that its own owner has signed',
    [NOT_OWNER, ...UNRECOVERED],
    (agent) => {
      const found = newKey();
      const asked = agent.recover(found);
      agent.replacePasskeys(found);
      agent.vote(found, asked);
    },
  ],
  [
    'a recovery that a stranger has signed',
    [NOT_OWNER, ...UNRECOVERED],
    (agent) => {
      const [stranger, found] = [agent.newOwner(), newKey()];
      const asked = agent.recover(found);
      agent.replacePasskeys(found);
      agent.vote(stranger.authenticator, asked, { ownerId: stranger.ownerId });
    },
  ],
];

describe('several owners, acts of operators and recoveries', () => {
  it.each(GOOD)('pass as they were written: %s', async (_, write) => {
    const agent = new RecordedOwners();
    write(agent);
    const { findings, notChecked, checked } = await agent.verify();
    expect(findings).toEqual([]);
    expect(notChecked).not.toContain('owner_chains');
    const votes = agent.written.filter(({ fact }) => fact.$case === 'approvalDecided');
    expect(checked.signatures).toBe(votes.length);
  });

  it.each([...OWNERS, ...ACTS, ...RECOVERIES])('are named where altered: %s', async (_, expected, write) => {
    const agent = new RecordedOwners();
    write(agent);
    const { findings } = await agent.verify();
    expect(findings).toHaveLength(expected.length);
    for (const finding of expected) expect(findings).toContainEqual(expect.objectContaining(finding));
    for (const each of findings) expect(describeFinding(each)).toMatch(/^[A-Z].*\.$/);
  });

  it.each(GOOD)('have signatures of other owners that an owner cannot verify: %s', async (_, write) => {
    const agent = new RecordedOwners();
    write(agent);
    const others = agent.written.some(
      ({ fact }) => fact.$case === 'memberChanged' && fact.value.ownerId !== agent.ownerId,
    );
    const { findings, notChecked } = await agent.verifyAs();
    expect(findings).toEqual([]);
    expect(notChecked.includes('owner_chains')).toBe(others);
    expect(notChecked.map(describeNotChecked)).toHaveLength(notChecked.length);
  });
});
