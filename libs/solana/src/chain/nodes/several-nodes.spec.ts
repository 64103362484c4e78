import { AppError } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@agent-wallet/testing';
import type { SendOutcome, SignatureStatus, SolanaChain } from '../solana-chain.js';
import { SeveralNodes } from './several-nodes.js';

const SIGNATURE = '5'.repeat(88);
const ADDRESS = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const VALID_FOR = 150;

/** The chain as it really is; a node sees it some slots late. Heights are slots here. */
interface Truth {
  readonly slot: number;
  /** The slot in which the transaction landed; undefined when it never does. */
  readonly landedAt: number | undefined;
  readonly lamports: bigint;
}

type Node = Partial<SolanaChain>;

/** A node that states the truth as of some slots ago. */
function honest({ slot, landedAt, lamports }: Truth, lag: number): Node {
  const seen = slot - lag;
  const head = { slot: seen, blockHeight: seen, epoch: 1 };
  const status: SignatureStatus | null =
    landedAt !== undefined && landedAt <= seen ? { slot: landedAt, commitment: 'finalized', error: null } : null;
  const account = { owner: ADDRESS, lamports, data: new Uint8Array(), executable: false };
  return {
    finalizedHead: async () => head,
    confirmedHead: async () => head,
    latestBlockhash: async () => ({ blockhash: `hash ${seen}`, lastValidBlockHeight: seen + VALID_FOR, slot: seen }),
    time: async () => ({ slot: seen, epoch: 1, blockTimeMs: seen * 400, readAtMs: 0 }),
    signatureStatus: async () => ({ contextSlot: seen, status }),
    accounts: async () => ({ slot: seen, accounts: [account] }),
    send: async () => ({ kind: 'accepted' }),
  };
}

const away = async () => {
  throw new AppError('UPSTREAM_ERROR');
};

/** Ways in which one node is wrong, applied to an honest one. */
const FAULTS: Readonly<Record<string, (truth: Truth, node: Node) => Node>> = {
  'is away': () => ({
    ...{ finalizedHead: away, confirmedHead: away, latestBlockhash: away, time: away, signatureStatus: away },
    ...{ accounts: away, send: async (): Promise<SendOutcome> => ({ kind: 'unknown', cause: undefined }) },
  }),
  'forgets what landed': (truth, node) => ({
    ...node,
    signatureStatus: async () => ({ contextSlot: truth.slot, status: null }),
  }),
  'invents a landing': ({ slot }, node) => ({
    ...node,
    signatureStatus: async () => ({ contextSlot: slot, status: { slot, commitment: 'finalized', error: null } }),
  }),
  'invents a failure': ({ slot }, node) => ({
    ...node,
    signatureStatus: async () => ({ contextSlot: slot, status: { slot, commitment: 'finalized', error: '"x"' } }),
  }),
  'claims a far height': ({ slot }, node) => {
    const head = async () => ({ slot: slot + 10_000, blockHeight: slot + 10_000, epoch: 2 });
    return { ...node, finalizedHead: head, confirmedHead: head };
  },
  'stands still': (truth) => honest({ ...truth, slot: 1, landedAt: undefined }, 0),
  'ends blockhashes early': ({ slot }, node) => ({
    ...node,
    latestBlockhash: async () => ({ blockhash: 'old', lastValidBlockHeight: slot - 100, slot }),
  }),
  'ends blockhashes a little early': ({ slot }, node) => ({
    ...node,
    latestBlockhash: async () => ({ blockhash: `hash ${slot}`, lastValidBlockHeight: slot + VALID_FOR - 30, slot }),
  }),
  'turns its clock back': ({ slot }, node) => ({
    ...node,
    time: async () => ({ slot, epoch: 1, blockTimeMs: slot * 400 - 3_600_000, readAtMs: 0 }),
  }),
  'states another balance': ({ slot }, node) => ({
    ...node,
    accounts: async () => ({
      slot,
      accounts: [{ owner: ADDRESS, lamports: 1n, data: new Uint8Array(), executable: false }],
    }),
  }),
  'rejects what is sent': (_, node) => ({ ...node, send: async () => ({ kind: 'rejected', cause: undefined }) }),
};

const open = (nodes: readonly Node[]) =>
  new SeveralNodes(nodes as unknown as readonly SolanaChain[], { nowMs: () => 0 }, async () => undefined);

const truths = fc.record({
  slot: fc.integer({ min: 1_000, max: 100_000 }),
  landedAgo: fc.option(fc.integer({ min: -50, max: 300 }), { nil: undefined }),
  lags: fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })),
  place: fc.integer({ min: 0, max: 2 }),
});

describe.each(Object.entries(FAULTS))('of three nodes one that %s', (_, fault) => {
  const runs = { numRuns: propertyRuns(100) };
  const world = (drawn: { slot: number; landedAgo: number | undefined; lags: [number, number]; place: number }) => {
    const { slot, landedAgo, lags, place } = drawn;
    const truth = { slot, landedAt: landedAgo === undefined ? undefined : slot - landedAgo, lamports: 5n };
    const nodes = lags.map((lag) => honest(truth, lag));
    nodes.splice(place, 0, fault(truth, honest(truth, 0)));
    return { truth, chain: open(nodes), seenByAll: slot - Math.max(...lags) };
  };

  it('has nothing declared landed that did not land, nor lost that landed', async () => {
    await fc.assert(
      fc.asyncProperty(truths, async (drawn) => {
        const { truth, chain } = world(drawn);
        const read = chain.signatureStatus(SIGNATURE, { searchHistory: true }).catch(() => undefined);
        const found = await read;
        if (!found) return;
        if (found.status) expect(found.status).toMatchObject({ slot: truth.landedAt, error: null });
        else expect(truth.landedAt === undefined || truth.landedAt > found.contextSlot).toBe(true);
      }),
      runs,
    );
  });

  it('has an outcome that all others know found', async () => {
    await fc.assert(
      fc.asyncProperty(truths, async (drawn) => {
        const { truth, chain, seenByAll } = world(drawn);
        if (truth.landedAt !== undefined && truth.landedAt > seenByAll) return;
        const { status } = await chain.signatureStatus(SIGNATURE, { searchHistory: true });
        expect(status?.slot).toBe(truth.landedAt);
      }),
      runs,
    );
  });

  it('moves no height beyond the chain, and keeps none back', async () => {
    await fc.assert(
      fc.asyncProperty(truths, async (drawn) => {
        const { truth, chain, seenByAll } = world(drawn);
        const { slot, blockHeight } = await chain.finalizedHead();
        expect(Math.max(slot, blockHeight)).toBeLessThanOrEqual(truth.slot);
        expect(Math.min(slot, blockHeight)).toBeGreaterThanOrEqual(seenByAll);
      }),
      runs,
    );
  });

  it('ends no message earlier than the chain does', async () => {
    await fc.assert(
      fc.asyncProperty(truths, async (drawn) => {
        const { blockhash, lastValidBlockHeight } = await world(drawn).chain.latestBlockhash();
        const [, slot] = /^hash (\d+)$/.exec(blockhash)!;
        expect(lastValidBlockHeight).toBeGreaterThanOrEqual(Number(slot) + VALID_FOR);
      }),
      runs,
    );
  });

  it('makes no price look younger, and no balance other', async () => {
    await fc.assert(
      fc.asyncProperty(truths, async (drawn) => {
        const { chain, seenByAll } = world(drawn);
        expect((await chain.time()).blockTimeMs).toBeGreaterThanOrEqual(seenByAll * 400);
        expect((await chain.accounts([ADDRESS])).accounts[0]!.lamports).toBe(5n);
        expect(await chain.send(new Uint8Array())).toEqual({ kind: 'accepted' });
      }),
      runs,
    );
  });
});

describe('of two nodes', () => {
  const truth: Truth = { slot: 1_000, landedAt: 900, lamports: 5n };

  it.each(['forgets what landed', 'invents a failure', 'ends blockhashes early', 'states another balance'])(
    'one that %s stops what it is wrong about',
    async (name) => {
      const chain = open([honest(truth, 0), FAULTS[name]!(truth, honest(truth, 0))]);
      const asked = await Promise.allSettled([
        chain.signatureStatus(SIGNATURE, { searchHistory: true }),
        chain.latestBlockhash(),
        chain.accounts([ADDRESS]),
      ]);
      const refused = asked.filter(({ status }) => status === 'rejected');
      expect(refused).toMatchObject([{ reason: { code: 'UPSTREAM_ERROR', cause: { name: 'NodesDisagree' } } }]);
    },
  );

  it('that are a slot apart agree on an account when asked again', async () => {
    let reads = 0;
    const behind = honest({ ...truth, lamports: 4n }, 1);
    const catchesUp: Node = {
      ...behind,
      accounts: (addresses) => (++reads > 2 ? honest(truth, 0).accounts! : behind.accounts!)(addresses),
    };
    expect((await open([honest(truth, 0), catchesUp]).accounts([ADDRESS])).accounts[0]!.lamports).toBe(5n);
    expect(reads).toBe(3);
  });
});

describe('a list of signatures', () => {
  const entry = (signature: string, slot: number) => ({ signature, slot, error: null, blockTimeMs: null });
  const listing = (...pages: ReadonlyArray<() => Promise<readonly ReturnType<typeof entry>[]>>) =>
    open(pages.map((signaturesForAddress) => ({ signaturesForAddress }))).signaturesForAddress(ADDRESS, {
      commitment: 'finalized',
      limit: 2,
    });
  const honestPage = [entry('ours', 10), entry('older', 9)];
  const page =
    (...entries: ReturnType<typeof entry>[]) =>
    async () =>
      entries;

  it.each([
    ['pushes ours off the page', page(entry('foreign', 12), entry('foreign too', 11))],
    ['forgets ours', page(entry('older', 9))],
    ['moves ours', page(entry('ours', 8), entry('older', 9))],
    ['is away', away],
  ])('is that of two nodes when the third %s', async (_, wrong) => {
    expect(await listing(wrong, page(...honestPage), page(...honestPage))).toEqual(honestPage);
  });

  it.each([
    ['pushes ours off the page', page(entry('foreign', 12), entry('foreign too', 11))],
    ['forgets ours', page(entry('older', 9))],
  ])('proves nothing while one of two nodes %s', async (_, wrong) => {
    await expect(listing(wrong, page(...honestPage))).rejects.toMatchObject({ cause: { name: 'NodesDisagree' } });
  });

  it('is read again while a node is a slot behind', async () => {
    let reads = 0;
    const behind = async () => ((reads += 1) > 2 ? honestPage : [entry('older', 9)]);
    expect(await listing(page(), behind, page(...honestPage))).toEqual(honestPage);
    expect(reads).toBe(3);
  });
});

describe('sending', () => {
  const truth: Truth = { slot: 1_000, landedAt: undefined, lamports: 5n };
  const sending = (...kinds: SendOutcome['kind'][]) =>
    open(kinds.map((kind) => ({ ...honest(truth, 0), send: async () => ({ kind }) as SendOutcome }))).send(
      new Uint8Array(),
    );

  it('is accepted when one node takes it', async () => {
    expect(await sending('rejected', 'unknown', 'accepted')).toEqual({ kind: 'accepted' });
  });

  it('is rejected when a quorum will never take it', async () => {
    expect(await sending('rejected', 'blockhash_not_found', 'rejected')).toEqual({ kind: 'rejected' });
    expect(await sending('rejected', 'blockhash_not_found', 'unknown')).toEqual({ kind: 'blockhash_not_found' });
    expect(await sending('rejected', 'unknown', 'unknown')).toEqual({ kind: 'unknown' });
  });
});
