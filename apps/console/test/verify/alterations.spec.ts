import { LogVerifier, type StoredCheckpoint, type StoredEvent } from '@agent-wallet/audit';
import { eventHash } from '@agent-wallet/contracts/audit';
import { newId } from '@agent-wallet/kernel';
import { describe, expect, it, jest } from '@jest/globals';
import { verifyAgent } from '../../web/verify/index.js';
import { CheckpointKey, ORIGIN, type Page, RecordedAgent, TestMemory } from './recorded-agent.js';

/** Returns the findings of the verifier of apps/ops for the same pages. */
async function verdictOfNode(
  pages: readonly Page[],
): Promise<readonly { problem: string; record: string; sequence?: number | undefined }[]> {
  const hex = (text: string) => Buffer.from(text, 'hex');
  const checkpoints = pages.flatMap(({ agentId, checkpoint }): StoredCheckpoint[] => {
    if (!checkpoint) return [];
    const signature = Buffer.from(checkpoint.signature, 'base64');
    const [rootHash, signedAtMs] = [hex(checkpoint.rootHash), Date.parse(checkpoint.signedAt)];
    return [{ kind: 'checkpoint', ...checkpoint, scope: `agent:${agentId}`, rootHash, signature, signedAtMs }];
  });
  const verifier = await LogVerifier.create({ batches: undefined, checkpoints, keyId: undefined });
  for (const { agentId, events, chain } of pages) {
    for (const [n, { eventId, sequence, occurredAt, payload }] of events.entries()) {
      const [hash, previousHash] = [hex(chain[n]!.hash), hex(chain[n]!.previousHash)];
      verifier.add({
        ...{ kind: 'event', position: undefined, eventId, agentId, sequence, hash, previousHash },
        ...{ occurredAtMs: Date.parse(occurredAt), payload: Buffer.from(payload, 'base64') },
      });
    }
  }
  return verifier.finish().findings;
}

const flipHex = (text: string) => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
const flipBase64 = (text: string, at: number) => {
  const bytes = Buffer.from(text, 'base64');
  bytes[at]! ^= 1;
  return bytes.toString('base64');
};
/** Takes the n-th event of a page out. */
const take = ({ events, chain }: Page, n: number) => ({ event: events.splice(n, 1)[0]!, link: chain.splice(n, 1)[0]! });
const put = ({ events, chain }: Page, n: number, { event, link }: ReturnType<typeof take>) => {
  events.splice(n, 0, event);
  chain.splice(n, 0, link);
};
const copyOf = ({ events, chain }: Page, n: number) => ({ event: { ...events[n]! }, link: { ...chain[n]! } });
/** Gives an event of the agent a hash that fits. */
function rehash({ agentId, events, chain }: Page, n: number): void {
  const [{ eventId, sequence, payload }, link] = [events[n]!, chain[n]!];
  const previousHash = Buffer.from(link.previousHash, 'hex');
  const chained = { eventId, agentId, sequence, payload: Buffer.from(payload, 'base64'), previousHash };
  link.hash = eventHash(chained).toString('hex');
}

/** Alterations: title, first finding, whether the verifier of apps/ops finds it too, and the change. */
const ALTERATIONS: ReadonlyArray<[string, object, (pages: Page[], agent: RecordedAgent) => Page[] | void]> = [
  [
    'a bit of a payload',
    { problem: 'altered', sequence: 5 },
    ([, page]) => void (page!.events[1]!.payload = flipBase64(page!.events[1]!.payload, 90)),
  ],
  [
    'a payload that cannot be read',
    { problem: 'altered', sequence: 5, cause: { code: 'payload_unreadable' } },
    ([, page]) => void (page!.events[1]!.payload = 'AAAA'),
  ],
  [
    'a hash',
    { problem: 'altered', sequence: 4 },
    ([, page]) => void (page!.chain[0]!.hash = flipHex(page!.chain[0]!.hash)),
  ],
  [
    'a previous hash',
    { problem: 'altered', sequence: 4, cause: { code: 'hash_differs' } },
    ([, page]) => void (page!.chain[0]!.previousHash = flipHex(page!.chain[0]!.previousHash)),
  ],
  [
    'a time',
    { problem: 'altered', sequence: 4, cause: { code: 'time_differs' } },
    ([, page]) => void (page!.events[0]!.occurredAt = '2026-01-01T00:00:00.000Z'),
  ],
  [
    'an id',
    { problem: 'altered', sequence: 4, cause: { code: 'id_differs' } },
    ([, page]) => void (page!.events[0]!.eventId = page!.chain[0]!.eventId = newId()),
  ],
  [
    'a number',
    { problem: 'altered', cause: { code: 'hash_differs' } },
    ([, page]) => void (page!.events[0]!.sequence = 40),
  ],
  [
    'a payload with a hash that fits',
    { problem: 'altered', sequence: 5, cause: { code: 'next_follows_other_hash' } },
    ([, page]) => {
      const bytes = Buffer.from(page!.events[1]!.payload, 'base64');
      page!.events[1]!.payload = Buffer.concat([bytes, Buffer.from([0x32, 0])]).toString('base64');
      rehash(page!, 1);
    },
  ],
  [
    'the first event with a hash that fits',
    { problem: 'altered', sequence: 1, cause: { code: 'next_follows_other_hash' } },
    ([page]) => {
      page!.chain[0]!.previousHash = '1'.repeat(64);
      rehash(page!, 0);
    },
  ],
  [
    'events in another order',
    { problem: 'reordered', record: 'event', sequence: 5 },
    ([, page]) => put(page!, 1, take(page!, 0)),
  ],
  [
    'pages in another order',
    { problem: 'reordered', record: 'event', sequence: 7 },
    (pages) => {
      const [first, second, third] = [pages[0]!, pages[1]!, pages[2]!];
      [pages[1], pages[2]] = [third, second];
      expect(first.hasMore).toBe(true);
    },
  ],
  ['an event that is missing', { problem: 'missing', record: 'event', sequence: 5 }, ([, page]) => void take(page!, 1)],
  [
    'the first event that is missing',
    { problem: 'missing', record: 'event', sequence: 1 },
    ([page]) => void take(page!, 0),
  ],
  ['a page that is missing', { problem: 'missing', record: 'event', sequence: 4 }, (pages) => void pages.splice(1, 1)],
  [
    'an event that is there twice',
    { problem: 'inserted', record: 'event', sequence: 5 },
    ([, page]) => put(page!, 1, copyOf(page!, 1)),
  ],
  [
    'an event of before that is there again',
    { problem: 'inserted', record: 'event', sequence: 1 },
    ([first, page]) => put(page!, 1, copyOf(first!, 0)),
  ],
  [
    'an event that was made up before the true one',
    { problem: 'inserted', record: 'event', sequence: 5 },
    ([, page]) => {
      put(page!, 1, copyOf(page!, 1));
      const bytes = Buffer.from(page!.events[1]!.payload, 'base64');
      page!.events[1]!.payload = Buffer.concat([bytes, Buffer.from([0x32, 0])]).toString('base64');
      rehash(page!, 1);
    },
  ],
  ['the end that is missing', { problem: 'missing', record: 'event' }, (pages) => void take(pages.at(-1)!, 0)],
  [
    'false hasMore: the end is kept back',
    { problem: 'missing', record: 'event', sequence: 7 },
    (pages) => {
      pages[1]!.hasMore = false;
      pages.splice(2);
    },
  ],
  [
    'a checkpoint of another size',
    { problem: 'forged', record: 'checkpoint', cause: { code: 'checkpoint_signature_invalid' } },
    (pages) => pages.forEach(({ checkpoint }) => (checkpoint!.size -= 1)),
  ],
  [
    'a checkpoint of another root',
    { problem: 'forged', record: 'checkpoint', cause: { code: 'checkpoint_signature_invalid' } },
    (pages) => pages.forEach(({ checkpoint }) => (checkpoint!.rootHash = flipHex(checkpoint!.rootHash))),
  ],
  [
    'a checkpoint of another time',
    { problem: 'forged', record: 'checkpoint', cause: { code: 'checkpoint_signature_invalid' } },
    (pages) => pages.forEach(({ checkpoint }) => (checkpoint!.signedAt = '2026-01-01T00:00:00.000Z')),
  ],
  [
    'a bit of the signature of a checkpoint',
    { problem: 'forged', record: 'checkpoint', cause: { code: 'checkpoint_signature_invalid' } },
    (pages) => pages.forEach(({ checkpoint }) => (checkpoint!.signature = flipBase64(checkpoint!.signature, 9))),
  ],
  [
    'the key of a checkpoint',
    { problem: 'forged', record: 'checkpoint', cause: { code: 'checkpoint_signature_invalid' } },
    (pages) => pages.forEach(({ checkpoint }) => (checkpoint!.keyId = new CheckpointKey().keyId)),
  ],
  [
    'a signed checkpoint of another root',
    { problem: 'altered', record: 'event', cause: { code: 'differs_from_checkpoint' } },
    (pages, agent) => {
      const { size } = pages[0]!.checkpoint!;
      const { signature } = agent.key.sign(`agent:${agent.agentId}`, size, Buffer.alloc(32, 7));
      for (const { checkpoint } of pages) {
        checkpoint!.rootHash = '07'.repeat(32);
        checkpoint!.signature = Buffer.from(signature).toString('base64');
      }
    },
  ],
];

describe('the chain of an agent', () => {
  it('passes as it was written, with the key pinned', async () => {
    const agent = new RecordedAgent();
    let ofNode: ReturnType<typeof verdictOfNode> | undefined;
    const report = await agent.verify((pages) => void (ofNode = verdictOfNode(pages)));
    expect(await ofNode).toEqual([]);
    const events = agent.written.filter(({ subject }) => subject === agent.agentId).length;
    expect(report).toMatchObject({
      events,
      checked: { chain: events, checkpoint: events, signatures: 4 },
      findings: [],
    });
    expect(report.notChecked).toContain('checkpoint_key_owner');
    expect(agent.memory.keyId).toBe(agent.key.keyId);
    expect((await agent.verify()).notChecked).not.toContain('checkpoint_key_owner');
  });

  it.each(ALTERATIONS)('names %s, as node does', async (_, finding, alter) => {
    const agent = new RecordedAgent();
    let ofNode: ReturnType<typeof verdictOfNode> | undefined;
    const { findings } = await agent.verify((pages) => {
      alter(pages, agent);
      ofNode = verdictOfNode(pages);
      return pages;
    });
    expect(findings[0]).toMatchObject(finding);
    expect((await ofNode)?.length).toBeGreaterThan(0);
    expect([undefined, agent.key.keyId]).toContain(agent.memory.keyId);
  });

  it('names a page of another agent', async () => {
    const [agent, other] = [new RecordedAgent(), new RecordedAgent()];
    const { findings } = await agent.verify((pages) => {
      pages[1] = other.pagesOf(other.stored())[1]!;
    });
    expect(findings[0]).toMatchObject({ cause: { code: 'page_of_other', page: 2, found: other.agentId } });
  });

  it('names events of another agent under the name of this one', async () => {
    const [agent, other] = [new RecordedAgent(), new RecordedAgent()];
    const { findings } = await agent.verify((pages) => {
      pages[1] = { ...other.pagesOf(other.stored())[1]!, agentId: agent.agentId };
    });
    expect(findings[0]).toMatchObject({ problem: 'altered', cause: { code: 'agent_differs' } });
  });

  it.each<[string, (pages: Page[]) => void]>([
    ['an empty page', (pages) => void Object.assign(pages.at(-1)!, { hasMore: true, events: [], chain: [] })],
    ['the same page', (pages) => void (pages.at(-1)!.hasMore = true)],
  ])('names a false hasMore: %s', async (_, alter) => {
    const { findings } = await new RecordedAgent().verify(alter);
    expect(findings[0]).toMatchObject({ cause: { code: 'page_without_progress' } });
  });

  it('names pages that are no answers', async () => {
    for (const change of [
      { events: undefined },
      { chain: [] },
      { events: [{}] },
      { events: [null], chain: [null] },
      { chain: [{ eventId: '' }, {}, {}] },
    ]) {
      const { findings } = await new RecordedAgent().verify(([page]) => void Object.assign(page!, change));
      expect(findings[0]).toMatchObject({ cause: { code: 'page_malformed', page: 1 } });
    }
  });

  it('names another key than the pinned one, and keeps the pinned one', async () => {
    const agent = new RecordedAgent();
    const pinned = new CheckpointKey().keyId;
    agent.memory.keyId = pinned;
    const { findings, checked } = await agent.verify();
    expect(findings[0]).toMatchObject({
      cause: { code: 'checkpoint_key_differs', keyId: agent.key.keyId, expected: pinned },
    });
    expect([agent.memory.keyId, checked.checkpoint]).toEqual([pinned, 0]);
  });

  it('names a key that changes between pages', async () => {
    const agent = new RecordedAgent();
    const { findings } = await agent.verify((pages) => {
      const { size, rootHash } = pages[0]!.checkpoint!;
      const other = new CheckpointKey().sign(`agent:${agent.agentId}`, size, Buffer.from(rootHash, 'hex'));
      Object.assign(pages[1]!.checkpoint!, {
        keyId: other.keyId,
        signature: Buffer.from(other.signature).toString('base64'),
      });
    });
    expect(findings[0]).toMatchObject({
      cause: { code: 'checkpoint_key_differs', expected: agent.key.keyId },
    });
  });

  it('says that nothing or not all is signed', async () => {
    const none = await new RecordedAgent().verify((pages) => pages.forEach((page) => (page.checkpoint = null)));
    expect(none).toMatchObject({ findings: [], checked: { checkpoint: 0 } });
    expect(none.notChecked).toContain('no_checkpoint');
    const agent = new RecordedAgent();
    const part = await agent.verify((pages) => {
      const hash = Buffer.from(pages[0]!.chain[2]!.hash, 'hex');
      const { signature } = agent.key.sign(`agent:${agent.agentId}`, 3, hash);
      const text = Buffer.from(signature).toString('base64');
      for (const { checkpoint } of pages)
        Object.assign(checkpoint!, { size: 3, rootHash: hash.toString('hex'), signature: text });
    });
    expect(part).toMatchObject({ findings: [], checked: { checkpoint: 3 } });
    expect(part.notChecked).toContain('events_after_checkpoint');
  });

  it('names a size that is wrong under the signature of a scope of another agent', async () => {
    const agent = new RecordedAgent();
    const { findings } = await agent.verify((pages) => {
      const { size, rootHash } = pages[0]!.checkpoint!;
      const { signature } = agent.key.sign(`agent:${newId()}`, size, Buffer.from(rootHash, 'hex'));
      for (const { checkpoint } of pages) checkpoint!.signature = Buffer.from(signature).toString('base64');
    });
    expect(findings[0]).toMatchObject({
      problem: 'forged',
      record: 'checkpoint',
      cause: { code: 'checkpoint_signature_invalid' },
    });
  });
});

describe('a browser without Ed25519', () => {
  it('says what was not verified', async () => {
    const agent = new RecordedAgent('EdDSA');
    const error = new DOMException('no such algorithm', 'NotSupportedError');
    const importKey = jest.spyOn(crypto.subtle, 'importKey').mockRejectedValue(error);
    const report = await agent.verify();
    importKey.mockRestore();
    expect(report).toMatchObject({ findings: [], checked: { checkpoint: 0, signatures: 0 } });
    expect(report.notChecked).toContain('algorithm_unsupported');
    expect(agent.memory.keyId).toBeUndefined();
  });
});

describe('progress', () => {
  it('is reported after each page', async () => {
    const agent = new RecordedAgent();
    const pages = agent.pagesOf(agent.stored());
    const seen: number[] = [];
    await verifyAgent({
      ...{ agentId: agent.agentId, origin: ORIGIN, memory: agent.memory },
      readPage: async (after) => pages[pages.findIndex(({ lastEventId }) => lastEventId === after) + 1]!,
      onProgress: ({ events }) => seen.push(events),
    });
    expect(seen).toEqual(pages.map((_, n) => pages.slice(0, n + 1).flatMap(({ events }) => events).length));
  });
});

describe('a long chain', () => {
  it('of 10,000 events is verified while the event loop goes on', async () => {
    const agent = new RecordedAgent();
    agent.pageSize = 100;
    while (agent.written.length < 10_100) {
      agent.write({ $case: 'sessionEnded', value: { sessionId: newId() } });
    }
    const stored: StoredEvent[] = agent.stored();
    const pages = agent.pagesOf(stored);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    agent.memory.keyId = new TestMemory(agent.key.keyId).read();
    const report = await agent.verifyPages(pages, (ownerId) => agent.pagesOf(stored, ownerId));
    clearInterval(timer);
    expect(report.findings).toEqual([]);
    expect(report.checked.chain).toBeGreaterThan(10_000);
    // There are 101 pages, and other work has a turn between two of them.
    expect(turns).toBeGreaterThan(25);
  });
});
