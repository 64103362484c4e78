import { AppError } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { type AddressSignature, type AddressSignaturesPage, JsonRpcError } from '@agent-wallet/solana';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AccountReader } from '../../src/application/deposits/account-reader.js';
import type { NamedTransaction } from '../../src/application/deposits/credit-reader.js';
import type { FoundDeposit } from '../../src/domain/deposits/deposit.js';
import { DEPOSIT_TIMING, retryPauseMs } from '../../src/domain/deposits/timing.js';
import type { UnreadAccount } from '../../src/ports/watched-account-store.js';

/** Round trip to the node. */
const ROUND_TRIP_MS = 100;
/** Transactions that are read at once. */
const AT_ONCE = 8;
const MAX_TURNS = 100;

type Answer = 'nothing' | 'deposit' | 'refused' | 'unavailable';

const REFUSED = new AppError('UPSTREAM_ERROR', { cause: new JsonRpcError(-32015, 'version', undefined) });
const UNAVAILABLE = new AppError('UPSTREAM_TIMEOUT');

let nowMs: number;
/** Entries of the account, the oldest first. */
let entries: AddressSignature[];
let answers: Map<string, Answer>;
let reads: string[];
let pages: number;
let deposits: Array<{ signature: string; atMs: number }>;
let noted: string[];
let warned: unknown[];
let account: UnreadAccount;
let dueAtMs: number;
let reader: AccountReader;

const logger = {
  ...silent,
  debug: () => {},
  warn: (fields: { event: string; signature?: string }) => {
    if (fields.event === 'deposit.transaction_skipped') warned.push(fields.signature);
  },
} as unknown as Logger;

const chain = {
  signaturesForAddress: async (_: string, { before, until, limit }: AddressSignaturesPage) => {
    pages += 1;
    nowMs += ROUND_TRIP_MS;
    const end = before === undefined ? entries.length : entries.findIndex(({ signature }) => signature === before);
    const start = entries.findIndex(({ signature }) => signature === until) + 1;
    return entries.slice(Math.max(start, end - limit!), end).toReversed();
  },
};

const credits = {
  read: async (wanted: readonly NamedTransaction[], onFailure: (signature: string, reason: unknown) => void) => {
    nowMs += Math.ceil(wanted.length / AT_ONCE) * ROUND_TRIP_MS;
    const landed = { slot: 1, blockTimeMs: null, accounts: [] };
    return new Map(
      wanted.flatMap(({ signature }) => {
        reads.push(signature);
        const answer = answers.get(signature);
        if (answer === 'refused') onFailure(signature, REFUSED);
        else if (answer === 'unavailable') onFailure(signature, UNAVAILABLE);
        else return [[signature, { ...landed, credits: answer === 'deposit' ? [{} as FoundDeposit] : [] }]];
        return [];
      }),
    );
  },
};

beforeEach(() => {
  nowMs = 0;
  dueAtMs = 0;
  entries = [];
  answers = new Map();
  [reads, deposits, noted, warned] = [[], [], [], []];
  pages = 0;
  const slots = { balanceSlot: 0, previousSlot: 0, cursorSlot: 0 };
  account = { address: 'wallet', wallet: 'wallet', ...slots, cursorSignature: null, failures: 0, readBeyond: [] };
  reader = openReader();
});

/** Opens the reader of one replica. */
function openReader(): AccountReader {
  return new AccountReader({
    chain,
    credits,
    deposits: {
      record: async (found) => {
        deposits.push(...found.map(({ signature }) => ({ signature, atMs: nowMs })));
        return found.length;
      },
    },
    watched: {
      claimReads: async () => (dueAtMs <= nowMs ? [account] : []),
      noteAccounts: async () => {},
      noteRead: async ({ failures }, { cursor, readBeyond }, next) => {
        const moved = cursor ? { cursorSignature: cursor.signature, cursorSlot: cursor.slot } : {};
        account = { ...account, ...moved, readBeyond, failures: next === 'retry' ? failures + 1 : 0 };
        dueAtMs = { done: Infinity, more: nowMs, retry: nowMs + retryPauseMs(DEPOSIT_TIMING, failures) }[next];
      },
    },
    unreadable: {
      note: async (found) => {
        const added = found.map(({ signature }) => signature).filter((signature) => !noted.includes(signature));
        noted.push(...added);
        return added;
      },
    },
    landings: { has: () => false },
    clock: { nowMs: () => nowMs },
    timing: DEPOSIT_TIMING,
    logger,
    checkpoint: async () => {},
  });
}

/** Sends the account so many transactions. */
function send(count: number, answer: Answer, commitment: 'confirmed' | 'finalized' = 'finalized'): void {
  for (let n = 0; n < count; n += 1) {
    const slot = entries.length + 1;
    entries.push({ signature: `s${slot}`, slot, error: null, blockTimeMs: null, commitment });
    answers.set(`s${slot}`, answer);
  }
}

/** Reads the account in every turn that is due, waiting for each, until none is due or a condition holds. */
async function readAll(isEnough = () => false): Promise<void> {
  dueAtMs = nowMs;
  for (let turns = 0; dueAtMs !== Infinity && !isEnough(); turns += 1) {
    if (turns === MAX_TURNS) throw new Error(`The account is still due after ${MAX_TURNS} turns.`);
    nowMs = Math.max(nowMs, dueAtMs);
    await reader.round();
  }
}

describe('transactions that a stranger sends to a wallet', () => {
  it('delay no deposit behind 10,000 that the node refuses, and each is read, noted and logged once', async () => {
    send(10_000, 'refused');
    send(1, 'deposit');
    await readAll();
    expect(deposits).toEqual([{ signature: 's10001', atMs: expect.any(Number) }]);
    expect(deposits[0]!.atMs).toBeLessThan(5_000);
    expect(reads).toHaveLength(10_001);
    expect([noted, warned].map((all) => new Set(all).size)).toEqual([10_000, 10_000]);
    expect(warned).toHaveLength(10_000);
    expect(account.cursorSignature).toBe('s10001');
    await readAll();
    expect(reads).toHaveLength(10_001);
  });

  it('cost no more reads of the node when it refuses them than when it shows them', async () => {
    send(10_000, 'nothing');
    await readAll();
    const shown = { pages, reads: reads.length };
    send(10_000, 'refused');
    await readAll();
    expect({ pages: pages - shown.pages, reads: reads.length - shown.reads }).toEqual(shown);
  });

  it('are read once while they are not final, however often the list is read', async () => {
    send(600, 'refused', 'confirmed');
    for (let turn = 0; turn < 5; turn += 1) await readAll();
    send(1, 'deposit', 'confirmed');
    await readAll();
    expect(deposits).toHaveLength(1);
    expect(reads).toHaveLength(601);
    expect(account.cursorSignature).toBeNull();
  });

  it('are read by one of two replicas alone while they are not final', async () => {
    send(60, 'deposit', 'confirmed');
    await readAll();
    const other = openReader();
    dueAtMs = nowMs;
    await other.round();
    expect(reads).toHaveLength(60);
    expect(account.readBeyond).toHaveLength(60);
    // The chain has undone the last of them, and it has landed in a later slot.
    entries[59] = { ...entries[59]!, slot: 99 };
    dueAtMs = nowMs;
    await other.round();
    expect(reads.slice(60)).toEqual(['s60']);
    entries = entries.map((entry) => ({ ...entry, commitment: 'finalized' }));
    await readAll();
    expect(reads).toHaveLength(61);
    expect(account).toMatchObject({ cursorSignature: 's60', readBeyond: [] });
  });

  it('are waited for when the node fails for a while, without delay for those behind them', async () => {
    send(300, 'unavailable');
    send(1, 'deposit');
    send(600, 'nothing');
    await readAll(() => deposits.length > 0);
    expect(nowMs).toBeLessThan(20_000);
    expect(noted).toEqual([]);
    expect(account.cursorSignature).toBeNull();
    for (const [signature, answer] of answers) if (answer === 'unavailable') answers.set(signature, 'deposit');
    await readAll();
    expect(deposits).toHaveLength(301);
    expect(account.cursorSignature).toBe('s901');
  });

  it('are not read more than a hundred times a turn while the node fails', async () => {
    send(1_000, 'unavailable');
    for (let turn = 1; turn <= 5; turn += 1) {
      reads = [];
      nowMs = Math.max(nowMs, dueAtMs);
      await reader.round();
      expect(reads).toHaveLength(100);
    }
  });
});
