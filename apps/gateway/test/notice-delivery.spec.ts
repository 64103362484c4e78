import type { AuditFact } from '@agent-wallet/events';
import { newId } from '@agent-wallet/kernel';
import { openTestSchema } from '@agent-wallet/platform/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NoticeDesk } from './notice-desk.js';
import { approval, decided, passkey, PAYEE, policyChange, reuse, settled, transfer } from './notice-facts.js';

let desk: NoticeDesk;
beforeAll(async () => {
  desk = await NoticeDesk.open();
});
afterAll(() => desk.close());

describe('an event', () => {
  const count = (mailbox: string) => desk.inbox.notices.filter(({ to }) => to === mailbox).length;

  it('is mailed once to each mailbox, however often two replicas get it', async () => {
    const agent = await desk.agent();
    const owners = [await desk.owner(agent.id), await desk.owner(agent.id)];
    const events = [transfer(PAYEE), settled(101_000_000n), reuse()].map((fact) => desk.event(agent.id, fact));
    await desk.takeTwice(...events);
    await desk.takeTwice(...events.slice(1));
    await desk.mail();
    await desk.takeTwice(...events);
    await desk.mail();
    expect([...owners.map(({ email }) => count(email)), count(agent.email)]).toEqual([3, 3, 0]);
  });

  it('is mailed by the next delivery when its replica died before the commit', async () => {
    const agent = await desk.agent();
    const event = desk.event(agent.id, transfer(PAYEE));
    await desk.takeAndDie(event);
    await desk.mail();
    expect(count(agent.email)).toBe(0);
    expect(await desk.noticesOf(agent.email, event)).toHaveLength(1);
  });

  it('is mailed after the lease of a replica that died before it mailed', async () => {
    const agent = await desk.agent();
    await desk.take(desk.event(agent.id, reuse()));
    await desk.database.pool.query(`update notice_mails set tries = 1, due_at = $1 where mailbox = $2`, [
      new Date(desk.nowMs + 30_000),
      agent.email,
    ]);
    expect(await desk.noticesOf(agent.email)).toEqual([]);
    desk.nowMs += 30_001;
    expect(await desk.noticesOf(agent.email)).toHaveLength(1);
  });

  it('is not mailed when it comes 72 hours late', async () => {
    const agent = await desk.agent();
    const late = desk.event(agent.id, reuse(), { agoMs: 73 * 3_600_000 });
    expect(await desk.noticesOf(agent.email, late)).toEqual([]);
  });

  it('is mailed to no mailbox where notices are off, and its owner is known later', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner();
    const off = desk.replica(openTestSchema(desk.login, 'gateway'), { isOn: false });
    const value = { ownerId: owner.id, role: 'owner', action: 'added' };
    await off.take.execute([desk.event(agent.id, { $case: 'memberChanged', value }), desk.event(agent.id, reuse())]);
    await off.close();
    expect(await desk.noticesOf(owner.email)).toEqual([]);
    expect(await desk.noticesOf(owner.email, desk.event(agent.id, reuse()))).toHaveLength(1);
    expect(count(agent.email)).toBe(0);
  });
});

describe('a mailbox', () => {
  it('gets 20 notices a day by themselves, then one digest an hour, and urgent ones at once', async () => {
    const agent = await desk.agent();
    const facts = Array.from({ length: 80 }, (_, n) => policyChange('dailyLimitInUsd', `${n}`, `${n - 1}`));
    const first = await desk.noticesOf(agent.email, ...facts.map((fact) => desk.event(agent.id, fact)));
    expect(first).toHaveLength(20);
    expect(await desk.noticesOf(agent.email, desk.event(agent.id, reuse()))).toHaveLength(1);
    desk.nowMs += 3_600_000;
    const [digest, ...more] = await desk.noticesOf(agent.email);
    expect([more, digest!.subject]).toEqual([[], 'Notice: 60 more notices']);
    expect(digest!.body).toContain('dailyLimitInUsd: 20 to 19');
    expect(digest!.body.match(/^- The policy was changed/gm)).toHaveLength(50);
    expect(digest!.body).toContain('- and 10 more');
    expect(digest!.html).toContain('<li><bdi>and 10 more</bdi></li>');
    expect(await desk.noticesOf(agent.email)).toEqual([]);
  });

  it('gets what points at a takeover beyond its 20 notices, and an invitation among these', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner(agent.id);
    const member = (action: string): AuditFact => ({
      $case: 'memberChanged',
      value: { ownerId: owner.id, role: 'owner', action },
    });
    const confirmed = { operator: 'ann', action: 'confirm_recovery', reason: '', operationId: '', approvalId: newId() };
    const closed = { approvalId: newId(), ownerId: owner.id, kind: 'claim', state: 'withdrawn' };
    const ofAgent: AuditFact[] = [
      ...['claim', 'objection', 'member'].map((kind) => approval(kind, owner.id, { terms: {} })),
      ...[decided(owner.id, 'approved', 1n), member('removed'), member('added'), reuse()],
      { $case: 'approvalClosed', value: closed },
    ];
    const ofOwner: AuditFact[] = [
      ...[passkey(owner.id, 'added'), approval('recovery', owner.id, { terms: {} })],
      { $case: 'operatorActed', value: confirmed },
    ];
    const flood = Array.from({ length: 19 }, () => policyChange('allowTrading', true, false));
    const few = [...flood, member('invited')].map((fact) => desk.event(agent.id, fact));
    expect(await desk.noticesOf(owner.email, ...few)).toHaveLength(20);
    expect(await desk.noticesOf(owner.email, desk.event(agent.id, member('invited')))).toEqual([]);
    const urgent = [
      ...ofAgent.map((fact) => desk.event(agent.id, fact)),
      ...ofOwner.map((fact) => desk.event(owner.id, fact)),
    ];
    expect(await desk.noticesOf(owner.email, ...urgent)).toHaveLength(urgent.length);
  });

  it('finds every kind in a digest, also behind a flood of one', async () => {
    const agent = await desk.agent();
    const flood = Array.from({ length: 75 }, () => policyChange('allowTrading', true, false));
    await desk.noticesOf(agent.email, ...[...flood, settled(500_000_000n)].map((fact) => desk.event(agent.id, fact)));
    desk.nowMs += 3_600_000;
    const [digest] = await desk.noticesOf(agent.email);
    expect(digest!.body).toContain('Value: 500 USD');
    expect(digest!.body).toContain('- and 6 more');
  });

  it('gets at most 44 mails a day of an agent in a loop, and 50 of reused tokens', async () => {
    const agent = await desk.agent();
    let mails = 0;
    for (let hour = 0; hour < 24; hour += 1) {
      const facts = Array.from({ length: 6 }, () => [policyChange('allowTrading', true, false), reuse()]).flat();
      mails += (await desk.noticesOf(agent.email, ...facts.map((fact) => desk.event(agent.id, fact)))).length;
      desk.nowMs += 3_600_000 - 1;
    }
    expect(mails).toBeGreaterThanOrEqual(70);
    expect(mails).toBeLessThanOrEqual(94);
  });

  it('has its allowance again a day after the first notice', async () => {
    const agent = await desk.agent();
    const some = () =>
      Array.from({ length: 21 }, () => desk.event(agent.id, policyChange('allowTrading', true, false)));
    expect(await desk.noticesOf(agent.email, ...some())).toHaveLength(20);
    desk.nowMs += 24 * 3_600_000;
    // With the digest of the day before.
    expect(await desk.noticesOf(agent.email, ...some())).toHaveLength(21);
  });
});

describe('a mail server', () => {
  it('that defers for a day loses no notice', async () => {
    const agent = await desk.agent();
    desk.inbox.deferring = true;
    await desk.take(...[settled(200_000_000n), reuse()].map((fact) => desk.event(agent.id, fact)));
    for (let hour = 0; hour < 24; hour += 1) {
      expect(await desk.noticesOf(agent.email)).toEqual([]);
      desk.nowMs += 3_600_000;
    }
    desk.inbox.deferring = false;
    expect(await desk.noticesOf(agent.email)).toHaveLength(2);
    expect(await desk.noticesOf(agent.email)).toEqual([]);
  });

  it('that defers for 72 hours gets it no more', async () => {
    const agent = await desk.agent();
    desk.inbox.deferring = true;
    await desk.noticesOf(agent.email, desk.event(agent.id, reuse()));
    desk.nowMs += 72 * 3_600_000;
    expect(await desk.noticesOf(agent.email)).toEqual([]);
    desk.inbox.deferring = false;
    desk.nowMs += 3_600_000;
    expect(await desk.noticesOf(agent.email)).toEqual([]);
  });

  it('that rejects a notice gets it once', async () => {
    const agent = await desk.agent();
    desk.inbox.refusing = true;
    await desk.noticesOf(agent.email, desk.event(agent.id, reuse()));
    desk.inbox.refusing = false;
    desk.nowMs += 3_600_000;
    expect(await desk.noticesOf(agent.email)).toEqual([]);
  });

  it('whose queue is full delays notices to a digest', async () => {
    const agent = await desk.agent();
    await desk.database.pool.query(
      `insert into notice_mails (id, mailbox, subject, body, html, queued_at, due_at)
       select gen_random_uuid(), 'full@example.com', '', '', '', now(), '2099-01-01' from generate_series(1, 10000)`,
    );
    expect(await desk.noticesOf(agent.email, desk.event(agent.id, reuse()))).toEqual([]);
    desk.nowMs += 3_600_000;
    expect(await desk.noticesOf(agent.email)).toEqual([]);
    await desk.database.pool.query(`delete from notice_mails where mailbox = 'full@example.com'`);
    desk.nowMs += 600_000;
    const [digest] = await desk.noticesOf(agent.email);
    expect(digest!.body).toContain('- A replaced token came again');
  });
});
