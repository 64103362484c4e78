import { auditV1 } from '@agent-wallet/contracts';
import type { AuditFact } from '@agent-wallet/events';
import { NAMED_TOKENS, newId, NIL_UUID } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NoticeDesk, ORIGIN, readMail, WALLET } from './notice-desk.js';
import {
  approval,
  decided,
  opened,
  passkey,
  PAYEE,
  policyChange,
  requestedPayment,
  reuse,
  settled,
  started,
  transfer,
  withMemo,
} from './notice-facts.js';

let desk: NoticeDesk;
beforeAll(async () => {
  desk = await NoticeDesk.open();
});
afterAll(() => desk.close());

describe('what a notice says', () => {
  it('names each field of a proposed change before and after, who asked, from where, and the page', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner(agent.id);
    const changes = {
      dailyLimitInUsd: { before: '1000', after: '90000' },
      allowedRecipients: { before: [WALLET, 'A'], after: [WALLET, PAYEE] },
    };
    const fact = approval('policy', owner.id, { terms: { proposer: 'agent', changes, note: 'please' } });
    const asked = { askedBy: 'agent', askedFrom: '203.0.113.0/24' };
    const [notice, ...more] = await desk.noticesOf(owner.email, desk.event(agent.id, fact, asked));
    expect(more).toEqual([]);
    expect(notice!.subject).toBe('Notice: A change of the policy was proposed');
    expect(notice!.body.split('\n')).toEqual([
      'A change of the policy was proposed.',
      '',
      `Agent: ${agent.email}`,
      `Wallet: ${WALLET}`,
      'Time: 2026-11-24T00:00:00.000Z',
      'Asked by: the agent',
      'From the network: 203.0.113.0/24',
      'dailyLimitInUsd: 1000 to 90000',
      `allowedRecipients: 2 to 2 entries; added ${PAYEE}; removed A`,
      'Note of who asked: "please"',
      'Expires: 2026-11-25T00:00:00.000Z',
      '',
      `${ORIGIN}/approvals/${fact.value && 'approvalId' in fact.value ? fact.value.approvalId : ''}`,
      'Opening this page changes nothing. What you did not expect you can reject there.',
      '',
    ]);
    expect(notice!.html).toContain(`<a href="${notice!.body.split('\n').at(-3)}"`);
  });

  it('says in one line what an agent asks for, with whole addresses, the network of the request and one link', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner(agent.id);
    const operation = newId();
    await desk.database.pool.query(
      `insert into idempotency_records (operation_id, agent_id, request_hash, action, input, state, leased_until, poll_at,
         created_at, network) values ($1, $2, '', 'transfer', '{}', 'claimed', now(), now(), now(), '2001:db8:1::/48')`,
      [operation, agent.id],
    );
    const fact = approval('operation', owner.id, requestedPayment({ operation }));
    const [notice] = await desk.noticesOf(owner.email, desk.event(agent.id, fact));
    const line = `${agent.email} asks to pay 55 USDC ($55.00) to BPFL…1111 (new)`;
    expect(notice!.subject).toBe(`Notice: ${line}`);
    expect(notice!.body.split('\n')).toEqual([
      `${line}.`,
      '',
      `Agent: ${agent.email}`,
      `Wallet: ${WALLET}`,
      'Time: 2026-11-24T00:00:00.000Z',
      'Asked by: the agent',
      'From the network: 2001:db8:1::/48',
      `Recipient: ${PAYEE}`,
      'Memo of the agent: "rent for May"',
      `Token: ${NAMED_TOKENS[1]!.mint}`,
      'Why you are asked: the agent has not paid this recipient before',
      `Operation: ${operation}`,
      'Expires: 2026-11-25T00:00:00.000Z',
      '',
      expect.stringMatching(new RegExp(`^${ORIGIN}/approvals/[\\w-]{36}$`)),
      'Opening this page changes nothing. What you did not expect you can reject there.',
      '',
    ]);
  });

  it('warns of a recipient that looks like a known one, and quotes what is not as expected', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner(agent.id);
    const terms = { lookalikeOf: WALLET, mint: 'https://a.example', memo: 'see https://a.example' };
    const fact = approval('operation', owner.id, requestedPayment({ terms }));
    const [notice] = await desk.noticesOf(owner.email, desk.event(agent.id, fact));
    expect(notice!.subject).toContain('pay a token ($55.00) to BPFL…1111 (careful: looks like a known address)');
    expect(notice!.body).toContain(`Careful, the recipient looks like this known address: ${WALLET}`);
    expect(notice!.body).not.toContain('https://a.example');
  });

  it('of a claim goes to the agent with the page that cancels it, and to who asked', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner();
    const terms = { keepSessions: 'false', delayHours: '24', policy: { dailyLimitInUsd: '1000' } };
    const event = desk.event(agent.id, approval('claim', owner.id, { terms }));
    await desk.take(event);
    await desk.mail();
    const [ofAgent] = desk.inbox.notices.filter(({ to }) => to === agent.email);
    const [ofOwner] = desk.inbox.notices.filter(({ to }) => to === owner.email);
    expect(ofAgent!.text).toContain(`Asked by: the owner ${owner.email}`);
    expect(ofAgent!.text).toContain('delayHours: 24');
    expect(ofAgent!.text).toContain(`${ORIGIN}/cancel-claim`);
    expect(ofAgent!.text).not.toContain(`${ORIGIN}/approvals/`);
    expect(ofOwner!.text).toContain(`${ORIGIN}/approvals/`);
  });

  it('of a claim that takes effect later goes to both when it is signed, and when it ends', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner();
    const effectiveAtMs = BigInt(Date.UTC(2026, 10, 22, 10));
    await desk.take(desk.event(agent.id, decided(owner.id, 'approved', effectiveAtMs)));
    await desk.take(desk.event(agent.id, decided(owner.id, 'applied', undefined)));
    const closed = { approvalId: newId(), ownerId: owner.id, kind: 'claim' };
    for (const state of ['withdrawn', 'applied']) {
      await desk.take(desk.event(agent.id, { $case: 'approvalClosed', value: { ...closed, state } }));
    }
    const ofOperation = { ...closed, kind: 'operation', state: 'withdrawn' };
    await desk.take(desk.event(agent.id, { $case: 'approvalClosed', value: ofOperation }));
    await desk.mail();
    for (const mailbox of [agent.email, owner.email]) {
      const mails = await Promise.all(desk.inbox.notices.filter(({ to }) => to === mailbox).map(readMail));
      expect(mails.map(({ subject }) => subject).sort()).toEqual([
        'Notice: A claim of the agent was cancelled',
        'Notice: A claim of the agent was signed',
      ]);
      const bodies = mails.map(({ body }) => body).join();
      expect(bodies).toContain('2026-11-22T10:00:00.000Z');
      expect(bodies.includes(`${ORIGIN}/cancel-claim`)).toBe(mailbox === agent.email);
    }
  });

  it('of a claim that was signed goes to the agent’s mailbox a last time, and to the owner', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner();
    const value = { ownerId: owner.id, role: 'owner', action: 'added' };
    await desk.take(desk.event(agent.id, { $case: 'memberChanged', value }));
    await desk.take(desk.event(agent.id, policyChange('allowTrading', true, false)));
    await desk.mail();
    const subjects = (mailbox: string) =>
      desk.inbox.notices
        .filter(({ to }) => to === mailbox)
        .map(({ text }) => /^Subject: Notice: (.*)\r$/m.exec(text)![1]);
    expect(subjects(agent.email)).toEqual(['The agent has a new owner']);
    expect(subjects(owner.email).sort()).toEqual(['The agent has a new owner', 'The policy was changed']);
  });

  it.each<[string, () => AuditFact, string[]]>([
    [
      'a changed policy',
      () => policyChange('allowedRecipients', [PAYEE], []),
      [`allowedRecipients: ${PAYEE} to every address`],
    ],
    [
      'a spend above 100 USD',
      () => settled(150_990_000n),
      ['more than 100 USD', 'Value: 150.99 USD', 'Asked by: the agent'],
    ],
    ['a new recipient', () => transfer(PAYEE, withMemo('for May')), [PAYEE, '1.5 USDC', '"for May"']],
    [
      'a scoped token',
      () => opened('A <b>bot</b>'),
      [
        'A token for an app was opened',
        'Name: "A <b>bot</b>"',
        'Scopes: read, trade',
        'Until: 2026-12-01T00:00:00.000Z',
      ],
    ],
    ['a reused token', () => reuse(), ['A replaced token came again', 'sessions of its login have ended']],
    [
      'a freeze by the operator',
      () => ({ $case: 'operatorActed', value: { operator: 'ann', action: 'freeze', reason: 'a\nb', operationId: '' } }),
      ['The agent was frozen', 'Asked by: the operator', 'Reason: "a\\u{a}b"'],
    ],
    [
      'the end of an owner’s freeze',
      () => ({
        $case: 'operatorActed',
        value: { operator: `owner ${newId()}`, action: 'unfreeze', reason: '', operationId: '' },
      }),
      ['A freeze of the agent ended', 'Asked by: an owner'],
    ],
  ])('goes to an agent without an owner: %s', async (_, fact, parts) => {
    const agent = await desk.agent();
    const [notice, ...more] = await desk.noticesOf(agent.email, desk.event(agent.id, fact()));
    expect(more).toEqual([]);
    for (const part of parts) expect(notice!.body).toContain(part);
    expect(notice!.body).toContain(`Agent: ${agent.email}`);
  });

  it('of a passkey goes to its owner', async () => {
    const owner = await desk.owner();
    const asked = { askedBy: `owner ${owner.id}`, askedFrom: '10.1.2.0/24' };
    const events = ['added', 'removed'].map((action) => desk.event(owner.id, passkey(owner.id, action), asked));
    const notices = await desk.noticesOf(owner.email, ...events);
    expect(notices.map(({ subject }) => subject).sort()).toEqual([
      'Notice: A passkey was added',
      'Notice: A passkey was removed',
    ]);
    expect(notices[0]!.body).toContain(`Asked by: the owner ${owner.email}\nFrom the network: 10.1.2.0/24`);
    expect(JSON.stringify(notices)).not.toContain('credential');
  });

  it('of an operator’s act against the owners says how to object', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner(agent.id);
    const terms = { act: 'release', operator: 'ann', reason: 'http://a.example' };
    const [notice] = await desk.noticesOf(
      owner.email,
      desk.event(agent.id, approval('objection', owner.id, { terms })),
    );
    expect(notice!.subject).toBe('Notice: An operator overrules the owners of the agent');
    expect(notice!.body).toContain('Asked by: the operator');
    expect(notice!.body).toContain('sign it with your passkey');
    expect(notice!.body).toContain(`${ORIGIN}/approvals/`);
    expect(notice!.body).not.toContain('http://a.example');
  });

  it('of a recovery goes to its owner when it is requested and when the operator confirms it', async () => {
    const owner = await desk.owner();
    const confirmed = {
      operator: 'ann',
      action: 'confirm_recovery',
      reason: 'seen',
      operationId: '',
      approvalId: newId(),
    };
    const notices = await desk.noticesOf(
      owner.email,
      desk.event(
        owner.id,
        approval('recovery', owner.id, { terms: { credentialId: 'a credential', coseKey: 'a key' } }),
      ),
      desk.event(owner.id, { $case: 'operatorActed', value: confirmed }),
    );
    expect(notices.map(({ subject }) => subject).sort()).toEqual([
      'Notice: Passkeys are to be replaced by another one',
      'Notice: The operator confirmed that passkeys are replaced',
    ]);
    for (const { body } of notices) expect(body).toContain('log in as an owner and reject it');
    expect(JSON.stringify(notices)).not.toContain('credential');
  });

  it('is of no payment to a known recipient, of nothing small, and of nothing that concerns all agents', async () => {
    const agent = await desk.agent();
    await desk.noticesOf(agent.email, desk.event(agent.id, transfer(PAYEE)));
    const freeze = { operator: 'ann', action: 'freeze', reason: 'all', operationId: '' };
    const quiet = [
      desk.event(agent.id, transfer(PAYEE)),
      desk.event(agent.id, transfer(WALLET, { status: auditV1.OperationStatus.OPERATION_STATUS_SUBMITTED })),
      desk.event(agent.id, transfer(WALLET, { action: 'deposit' })),
      desk.event(agent.id, settled(100_000_000n)),
      desk.event(NIL_UUID, { $case: 'operatorActed', value: freeze }),
    ];
    // Nothing is written: no transaction is begun.
    expect(await desk.take(...quiet)).toBe(false);
    expect(await desk.noticesOf(agent.email)).toEqual([]);
  });

  it('is of one request once, also when its owner has it say another trust', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner(agent.id);
    const [chosen, other] = [newId(), newId()];
    const asked = (trust: string, approvalId: string) => {
      const shown = { operation: newId(), action: 'transfer', terms: { recipient: PAYEE, trust } };
      return desk.event(agent.id, approval('operation', owner.id, shown, approvalId));
    };
    const events = [asked('once', chosen), asked('always', chosen), asked('once', other)];
    const bodies = (await desk.noticesOf(owner.email, ...events)).map(({ body }) => body);
    expect(bodies).toHaveLength(2);
    for (const id of [chosen, other]) expect(bodies.filter((body) => body.includes(id))).toHaveLength(1);
  });

  it('survives events that are broken in any way', async () => {
    const agent = await desk.agent();
    const bad = [
      { eventId: newId(), agentId: agent.id, payload: Buffer.from('ffffffff', 'hex') },
      desk.event(agent.id, {
        $case: 'approvalRequested',
        value: { approvalId: 'x', kind: 'claim', document: Buffer.from('{') },
      }),
      desk.event(agent.id, approval('claim', 'no uuid', { terms: 'none' })),
      desk.event(agent.id, { $case: 'sessionStarted', value: { sessionId: 'no uuid', expiresAtMs: 1n } }),
      desk.event(agent.id, transfer('a\0b')),
      desk.event(agent.id, transfer(PAYEE, { decimals: 4_000_000_000 })),
      desk.event('no uuid', reuse()),
      desk.event(agent.id, reuse(), { agoMs: -9_000_000_000_000_000 }),
    ];
    const notices = await desk.noticesOf(agent.email, ...bad, desk.event(agent.id, reuse()));
    expect(notices.map(({ subject }) => subject)).toContain('Notice: A replaced token came again');
  });
});

describe('a session', () => {
  it('is news from a network that is not known, and known for 90 days', async () => {
    const agent = await desk.agent();
    const open = async (network: string, familyId?: string) => {
      desk.nowMs += 1_000;
      const id = await desk.session(agent.id, network, familyId);
      const notices = await desk.noticesOf(agent.email, desk.event(agent.id, started(id)));
      return notices.map(({ subject }) => subject);
    };
    expect(await open('10.0.1.0/24')).toEqual([]);
    expect(await open('10.0.1.0/24')).toEqual([]);
    expect(await open('10.0.2.0/24')).toEqual(['Notice: A login came from a new network']);
    expect(await open('10.0.2.0/24')).toEqual([]);
    expect(await open('2001:db8:1::/48', newId())).toEqual(['Notice: A token was refreshed from a new network']);
    desk.nowMs += 91 * 24 * 3_600_000;
    expect(await open('10.0.1.0/24')).toEqual(['Notice: A login came from a new network']);
  });
});

describe('text that others chose', () => {
  it.each([
    ['line ends', 'x\r\nBcc: all@example.com\u2028y', '"x\\u{d}\\u{a}Bcc: all@example.com\\u{2028}y"'],
    ['bidirectional formats', 'pay \u202Ecba\u202C\u2066', '"pay \\u{202e}cba\\u{202c}\\u{2066}"'],
    ['what is not visible', 'a\u200Bb\u0000c\u{E0041}', '"a\\u{200b}b\\u{0}c\\u{e0041}"'],
    ['the end of the quotation', '" \\ Asked by: you', '"\\" \\\\ Asked by: you"'],
    ['HTML', '<a href="https://evil.example">ok</a>', '"<a href=\\"https:\\u{2f}/evil.example\\">ok</a>"'],
    ['what looks like a code', '123456 is your login code', '"123456\\u{20}is your login code"'],
  ])('has %s escaped', async (_, memo, shown) => {
    const agent = await desk.agent();
    const fact = transfer(PAYEE, withMemo(memo));
    const [notice] = await desk.noticesOf(agent.email, desk.event(agent.id, fact));
    expect(notice!.body.split('\n')).toContain(`Memo of the agent: ${shown}`);
    expect(notice!.body).not.toMatch(/\b\d{6} is/);
  });

  it('is cut at 256 characters', async () => {
    const agent = await desk.agent();
    const fact = transfer(PAYEE, withMemo('🙂'.repeat(300)));
    const [notice] = await desk.noticesOf(agent.email, desk.event(agent.id, fact));
    expect(notice!.body).toContain(`"${'🙂'.repeat(256)}" (cut)\n`);
  });

  it('changes no header, wherever it stands', async () => {
    const agent = await desk.agent();
    const owner = await desk.owner(agent.id);
    const evil = 'x\r\nBcc: all@example.com\r\n\r\nhello';
    const terms = { proposer: 'agent', note: evil, [evil]: evil, changes: { [evil]: { before: evil, after: [evil] } } };
    await desk.take(desk.event(agent.id, approval('policy', owner.id, { terms, expiresAt: evil })));
    await desk.take(
      desk.event(agent.id, approval(evil, owner.id, { terms, reasons: [evil] }), { askedBy: evil, askedFrom: evil }),
    );
    await desk.mail();
    const mails = desk.inbox.notices.filter(({ to }) => to === owner.email);
    expect(mails).toHaveLength(2);
    for (const { text } of mails) expect(text).not.toMatch(/^Bcc:/m);
    expect(desk.inbox.notices.some(({ to }) => to === 'all@example.com')).toBe(false);
  });
});
