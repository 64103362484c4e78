import { Authenticator } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { ORIGIN, OwnedAgentLog, termsOf } from './owned-agent-log.js';

async function named(log: OwnedAgentLog): Promise<[number, string]> {
  const { code, lines } = await log.audit();
  return [code, lines.slice(0, -1).join('\n')];
}

const RELEASE = { act: 'release', operator: 'alice', reason: 'r' };

/** Releases the agent, as policy writes it. */
function release(log: OwnedAgentLog, { hours = 72, owners = [log.ownerId] } = {}): string {
  const id = log.request('objection', RELEASE);
  log.wait(hours);
  for (const ownerId of owners) log.member('removed', ownerId);
  log.operatorActs('release', id);
  log.end(id, 'objection', 'expired');
  return id;
}

/** Replaces the lost passkeys, as policy writes it. */
function recover(log: OwnedAgentLog, { hours = 72, isConfirmed = true } = {}): Authenticator {
  const found = new Authenticator(ORIGIN);
  const { credentialId, coseKey } = termsOf('add', found);
  const id = log.request('recovery', { credentialId, coseKey }, log.ownerId);
  if (isConfirmed) log.operatorActs('confirm_recovery', id, log.ownerId);
  log.wait(hours);
  replace(log, found);
  log.end(id, 'recovery', 'applied', log.ownerId);
  return found;
}

function replace(log: OwnedAgentLog, found: Authenticator): void {
  log.addPasskey(found);
  log.removePasskey(log.first);
}

describe('audit:verify on several owners', () => {
  it('passes owners who join, decide and leave', async () => {
    const log = new OwnedAgentLog();
    const { ownerId, authenticator } = log.join();
    const changes = { dailyLimitInUsd: { before: '600', after: '700' } };
    const effect = (approvalId: string) =>
      log.change(['dailyLimitInUsd', '600', '700'], { actor: 'owner', approvalId });
    log.approve(authenticator, 'policy', { changes }, { ownerId, effect });
    const terms = { action: 'remove', member: log.ownerId, email: 'a@x.com' };
    log.approve(authenticator, 'member', terms, { ownerId, effect: () => log.member('removed', log.ownerId) });
    expect(await named(log)).toEqual([0, '']);
  });

  const broken: ReadonlyArray<[string, string, (log: OwnedAgentLog) => void]> = [
    ['one who joins without an approval', 'an owner without an applied claim', (log) => log.member('added', 'x')],
    [
      'one who joins by the inviting owner’s signature alone',
      'an owner without an applied claim',
      (log) => {
        const second = log.newOwner();
        log.invite(second);
        log.member('added', second.ownerId);
      },
    ],
    [
      'one who joins by the own signature alone',
      'signed by one who is not its owner',
      (log) => {
        const second = log.newOwner();
        const id = log.request('member', { action: 'add', member: second.ownerId, email: 'b@x.com' });
        log.vote(id, second, { effect: () => log.member('added', second.ownerId) });
      },
    ],
    [
      'one who joins by the signature of one who has left',
      'signed by one who is not its owner',
      (log) => {
        const [second, third] = [log.join(), log.newOwner()];
        const id = log.invite(third, second);
        const terms = { action: 'remove', member: second.ownerId, email: 'b@x.com' };
        log.approve(log.first, 'member', terms, { effect: () => log.member('removed', second.ownerId) });
        log.vote(id, third, { effect: () => log.member('added', third.ownerId) });
      },
    ],
    ['one who is removed without one', 'without an approval', (log) => log.member('removed', log.ownerId)],
    [
      'another one than was signed',
      'without an approval',
      (log) => {
        const { ownerId } = log.join();
        const terms = { action: 'remove', member: ownerId, email: 'b@x.com' };
        log.approve(log.first, 'member', terms, { effect: () => log.member('removed', log.ownerId) });
      },
    ],
    [
      'a vote of one who has left',
      'signed by one who is not its owner',
      (log) => {
        const { ownerId, authenticator } = log.join();
        const terms = { action: 'remove', member: ownerId, email: 'b@x.com' };
        log.approve(log.first, 'member', terms, { effect: () => log.member('removed', ownerId) });
        log.approve(authenticator, 'operation', {}, { ownerId });
      },
    ],
  ];
  it.each(broken)('names %s', async (_, reason, breaks) => {
    const log = new OwnedAgentLog();
    breaks(log);
    expect(await named(log)).toEqual([1, expect.stringMatching(reason)]);
  });
});

describe('audit:verify on the delay of a claim', () => {
  const claimed = (delayHours: string, hours: number) => {
    const log = new OwnedAgentLog();
    release(log);
    const terms = { policy: { dailyLimitInUsd: '600' }, delayHours };
    log.approve(log.first, 'claim', terms, { outcome: 'approved' });
    log.wait(hours);
    log.member('added', log.ownerId);
    log.close('applied');
    return log;
  };
  it('passes a claim after its delay, and names one before', async () => {
    expect(await named(claimed('24', 24))).toEqual([0, '']);
    expect(await named(claimed('24', 23.9))).toEqual([1, expect.stringMatching('less time to cancel')]);
  });

  it('names one whose mailbox had cancelled it', async () => {
    const log = claimed('24', 24);
    const at = log.written.findLastIndex(({ fact }) => fact.$case === 'memberChanged');
    const closed = log.written.at(-1)!;
    const value = { ...log.last('approvalClosed'), state: 'withdrawn' };
    log.written.splice(at, 0, { ...closed, fact: { $case: 'approvalClosed', value } });
    expect(await named(log)).toEqual([1, expect.stringMatching('closed before')]);
  });

  it('names one that took effect with its signature', async () => {
    const log = new OwnedAgentLog();
    release(log);
    const effect = () => log.member('added', log.ownerId);
    log.approve(log.first, 'claim', { policy: { dailyLimitInUsd: '600' }, delayHours: '24' }, { effect });
    expect(await named(log)).toEqual([1, expect.stringMatching('without its delay')]);
  });
});

describe('audit:verify on what an operator does to owners', () => {
  it('passes a release, the claim after it, and what the agent does in between', async () => {
    const log = new OwnedAgentLog();
    const second = log.join();
    release(log, { owners: [log.ownerId, second.ownerId] });
    log.change(['dailyLimitInUsd', '600', '9000']);
    log.change(['dailyLimitInUsd', '9000', '500']);
    log.claim(log.first);
    expect(await named(log)).toEqual([0, '']);
  });

  it('passes the end of an owner’s freeze, and an objection', async () => {
    const log = new OwnedAgentLog();
    log.act('freeze');
    const id = log.request('objection', { ...RELEASE, act: 'unfreeze', frozenSince: 'x' });
    log.wait(72);
    log.operatorActs('unfreeze', id);
    log.end(id, 'objection', 'expired');
    log.vote(log.request('objection', RELEASE), { authenticator: log.first, ownerId: log.ownerId });
    expect(await named(log)).toEqual([0, '']);
  });

  it('passes a recovery, and one that another owner has signed', async () => {
    const log = new OwnedAgentLog();
    const second = log.join();
    const found = recover(log);
    log.loosen('dailyLimitInUsd', '600', '700', found);
    const again = new Authenticator(ORIGIN);
    const { credentialId, coseKey } = termsOf('add', again);
    const id = log.request('recovery', { credentialId, coseKey }, log.ownerId);
    log.vote(id, second, {
      effect: () => {
        log.addPasskey(again);
        log.removePasskey(found);
      },
    });
    log.loosen('dailyLimitInUsd', '700', '800', again);
    expect(await named(log)).toEqual([0, '']);
  });

  const broken: ReadonlyArray<[string, string, (log: OwnedAgentLog) => void]> = [
    ['a release before its time', 'less than 72 hours to object', (log) => void release(log, { hours: 71.9 })],
    [
      'a release to which an owner had objected',
      'an owner had decided on it',
      (log) => {
        const id = log.request('objection', RELEASE);
        log.vote(id, { authenticator: log.first, ownerId: log.ownerId });
        log.wait(73);
        log.member('removed', log.ownerId);
        log.end(id, 'objection', 'expired');
      },
    ],
    [
      'an owner’s freeze that an operator ends at once',
      'unfrozen before its owners could object',
      (log) => {
        log.act('freeze');
        log.operatorActs('unfreeze', log.request('objection', { ...RELEASE, act: 'unfreeze' }));
      },
    ],
    ['a recovery before its time', 'no operator had confirmed it', (log) => void recover(log, { hours: 71.9 })],
    [
      'a recovery that its owner had rejected',
      'closed before',
      (log) => {
        const found = new Authenticator(ORIGIN);
        const { credentialId, coseKey } = termsOf('add', found);
        const id = log.request('recovery', { credentialId, coseKey }, log.ownerId);
        log.operatorActs('confirm_recovery', id, log.ownerId);
        log.end(id, 'recovery', 'rejected', log.ownerId);
        log.wait(72);
        replace(log, found);
        log.end(id, 'recovery', 'applied', log.ownerId);
      },
    ],
    [
      'passkeys that were replaced before the time of their recovery',
      'no passkey of the owner has approved it',
      (log) => {
        const found = new Authenticator(ORIGIN);
        const { credentialId, coseKey } = termsOf('add', found);
        const id = log.request('recovery', { credentialId, coseKey }, log.ownerId);
        log.operatorActs('confirm_recovery', id, log.ownerId);
        replace(log, found);
        log.wait(72);
        log.end(id, 'recovery', 'applied', log.ownerId);
      },
    ],
    [
      'owners who are removed before the time of a release',
      'without an approval',
      (log) => {
        const id = log.request('objection', RELEASE);
        log.member('removed', log.ownerId);
        log.wait(72);
        log.operatorActs('release', id);
        log.end(id, 'objection', 'expired');
      },
    ],
    [
      'a recovery without an operator',
      'no operator had confirmed it',
      (log) => void recover(log, { isConfirmed: false }),
    ],
    [
      'a recovery that a stranger has signed',
      'signed by one who is not its owner',
      (log) => {
        const [found, stranger] = [new Authenticator(ORIGIN), new Authenticator(ORIGIN)];
        const ownerId = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';
        log.addPasskey(stranger, ownerId);
        const { credentialId, coseKey } = termsOf('add', found);
        const id = log.request('recovery', { credentialId, coseKey }, log.ownerId);
        log.vote(id, { authenticator: stranger, ownerId }, { effect: () => replace(log, found) });
      },
    ],
    [
      'a recovery that an owner has signed who has not all of those agents',
      'signed by one who is not its owner',
      (log) => {
        const { ownerId, authenticator } = log.join();
        const found = new Authenticator(ORIGIN);
        const { credentialId, coseKey } = termsOf('add', found);
        const terms = { action: 'remove', member: ownerId, email: 'b@x.com' };
        log.approve(log.first, 'member', terms, { effect: () => log.member('removed', ownerId) });
        const id = log.request('recovery', { credentialId, coseKey }, log.ownerId);
        log.vote(id, { authenticator, ownerId }, { effect: () => replace(log, found) });
      },
    ],
  ];
  it.each(broken)('names %s', async (_, reason, breaks) => {
    const log = new OwnedAgentLog();
    breaks(log);
    expect(await named(log)).toEqual([1, expect.stringMatching(reason)]);
  });
});
