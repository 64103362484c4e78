import type { historyV1, operationsV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { reconcileHistoryWith } from '../src/commands/reconcile.js';
import { readCommandLine } from '../src/command-line.js';
import type { Services } from '../src/services.js';

const NOW_MS = 1_800_000_000_000;
const MINUTE_MS = 60_000;

type Said = operationsV1.OperationRevision;

const agentId = newId();

/** The id of an operation that was accepted so long ago: the n-th of its millisecond. */
function idOfAge(ageMs: number, n = 0): string {
  const time = (NOW_MS - ageMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}
const operation = (over: Partial<Said> = {}): Said => ({
  ...{ operationId: idOfAge(2 * MINUTE_MS), agentId, action: 'transfer', state: 'confirmed', revision: 3 },
  ...over,
});

/** A service that carries out operations, as its contract says. */
class ScriptedOwner {
  pages = 0;
  constructor(public rows: Said[]) {}
  async listOperationRevisions(request: operationsV1.ListOperationRevisionsRequest) {
    const { afterOperationId: after, beforeOperationId: before, limit } = request;
    this.pages += 1;
    const ordered = [...this.rows].sort((a, b) => (a.operationId < b.operationId ? -1 : 1));
    const between = ordered.filter(({ operationId }) => operationId > after && operationId < before);
    return { operations: between.slice(0, limit) };
  }
}

let owner: ScriptedOwner;
let other: ScriptedOwner;
/** What history knows, by id. */
let known: Map<string, historyV1.OperationState>;
/** How many ids history was asked for, and what happens before each of its answers. */
let asked: number[];
let beforeAnswer: Array<() => void>;
/** What history could not read. */
let unreadable: historyV1.UnprocessableEvent[];

const asPublished = ({ operationId, agentId, state, revision }: Said): historyV1.OperationState => ({
  ...{ operationId, agentId, status: state === 'rejected' ? 'rejected_by_policy' : state, revision },
});
const tell = (...rows: Said[]) => rows.forEach((row) => known.set(row.operationId, asPublished(row)));

const history = {
  async listOperationStates({ operationIds }: historyV1.ListOperationStatesRequest) {
    beforeAnswer.shift()?.();
    asked.push(operationIds.length);
    return { operations: operationIds.flatMap((id) => known.get(id) ?? []) };
  },
  listUnprocessableEvents: () => Promise.resolve({ events: unreadable, total: BigInt(unreadable.length) }),
};

beforeEach(() => {
  [owner, other, known, asked, beforeAnswer] = [new ScriptedOwner([]), new ScriptedOwner([]), new Map(), [], []];
  unreadable = [];
});

async function reconcile(...options: string[]): Promise<{ differs: boolean; lines: string[] }> {
  const input = readCommandLine(['history', 'reconcile', ...options], 'ann').inputOf(2);
  const command = reconcileHistoryWith({ clock: { nowMs: () => NOW_MS }, settleMs: 1 });
  command.check?.(input);
  const services = { history, operations: [owner, other] } as unknown as Services;
  const { lines, failure } = await command.run(input, services);
  return { differs: failure !== undefined, lines: [...lines, ...(failure ? [failure] : [])] };
}

describe('history reconcile', () => {
  it('asks for every operation of every service by pages, and says how many agree', async () => {
    owner.rows = Array.from({ length: 1_001 }, (_, n) => operation({ operationId: idOfAge(2 * MINUTE_MS, n) }));
    other.rows = [operation({ operationId: idOfAge(MINUTE_MS * 3), state: 'rejected', revision: 1 })];
    tell(...owner.rows, ...other.rows);
    const { differs, lines } = await reconcile();
    expect([differs, lines.length, lines[0], lines[1]]).toEqual([
      false,
      2,
      'Compared operations from 2027-01-14T08:00:00.000Z to 2027-01-15T07:59:00.000Z: 1002.',
      'History agrees.',
    ]);
    expect(asked).toEqual([500, 500, 1, 1]);
  });

  it('fails and names the events that history could not read, although every operation agrees', async () => {
    const eventId = newId();
    unreadable = [{ eventId, agentId, reason: 'before is not JSON', recordedAtMs: BigInt(NOW_MS) }];
    const { differs, lines } = await reconcile();
    expect([differs, lines.slice(1)]).toEqual([
      true,
      [
        `UNREADABLE  ${eventId}  agent ${agentId}  2027-01-15T08:00:00.000Z  before is not JSON`,
        'HISTORY COULD NOT READ 1 of the events.',
      ],
    ]);
  });

  it('leaves out operations younger than a minute or older than a day by default', async () => {
    const ages = [MINUTE_MS, MINUTE_MS + 1, 1_440 * MINUTE_MS, 1_440 * MINUTE_MS + 1];
    owner.rows = ages.map((ageMs) => operation({ operationId: idOfAge(ageMs, 1) }));
    tell(...owner.rows);
    expect((await reconcile()).lines[0]).toMatch(/: 2\.$/);
    expect((await reconcile('--older-than', '0s')).lines[0]).toMatch(/: 3\.$/);
    expect((await reconcile('--since', '25h')).lines[0]).toMatch(/: 3\.$/);
  });

  it.each([
    ['MISSING', () => undefined, /not in history$/],
    ['OTHER REVISION', (row: Said) => ({ ...asPublished(row), revision: 2 }), /history: confirmed \(revision 2\)$/],
    ['OTHER REVISION', (row: Said) => ({ ...asPublished(row), revision: 4 }), /history: confirmed \(revision 4\)$/],
    ['OTHER STATUS', (row: Said) => ({ ...asPublished(row), status: 'failed' }), /history: failed \(revision 3\)$/],
    ['OTHER AGENT', (row: Said) => ({ ...asPublished(row), agentId: newId() }), /history: confirmed \(revision 3\)$/],
  ])('names what is still different at a second look: %s', async (what, inHistory, tale) => {
    const [good, bad] = [operation(), operation({ operationId: idOfAge(3 * MINUTE_MS) })];
    owner.rows = [good, bad];
    tell(good);
    const state = inHistory(bad);
    if (state) known.set(bad.operationId, state);
    const { differs, lines } = await reconcile();
    expect([differs, lines.length, lines[2]]).toEqual([true, 3, expect.stringContaining('HISTORY DIFFERS in 1')]);
    expect(lines[1]).toMatch(tale);
    expect(lines[1]).toContain(`${what}  ${bad.operationId}  transfer  agent ${agentId}  service: confirmed`);
    expect(asked).toEqual([2, 1]);
  });

  it('calls nothing a difference that has settled at the second look', async () => {
    owner.rows = [operation(), operation({ operationId: idOfAge(MINUTE_MS * 4), state: 'submitted', revision: 2 })];
    tell(owner.rows[1]!);
    beforeAnswer = [() => undefined, () => tell(owner.rows[0]!)];
    expect(await reconcile()).toMatchObject({ differs: false });
    expect(asked).toEqual([2, 1]);
  });

  it('lets an operation go on between two questions, in whichever order history learns of it', async () => {
    const submitted = operation({ state: 'submitted', revision: 2 });
    const confirmed = operation({ revision: 3 });
    const finalized = operation({ revision: 4 });
    owner.rows = [submitted];
    // History is further than the service was, and at the second look between what it was and what it is.
    beforeAnswer = [() => tell(confirmed), () => (owner.rows = [finalized])];
    expect(await reconcile()).toMatchObject({ differs: false });
    // History lags as before, but has reached what was said at the first look.
    [owner.rows, known] = [[submitted], new Map()];
    beforeAnswer = [() => undefined, () => (tell(submitted), (owner.rows = [finalized]))];
    expect(await reconcile()).toMatchObject({ differs: false });
    // It has not reached it: an operation that has moved on does not excuse the lag.
    [owner.rows, known] = [[confirmed], new Map()];
    beforeAnswer = [() => tell(submitted), () => (owner.rows = [finalized])];
    expect((await reconcile()).lines[1]).toMatch(
      /^OTHER REVISION .* service: confirmed \(revision 4\), history: submitted/,
    );
  });

  it('prints a hundred differences, and how many there are', async () => {
    owner.rows = Array.from({ length: 1_200 }, (_, n) => operation({ operationId: idOfAge(2 * MINUTE_MS, n + 1) }));
    const { lines } = await reconcile();
    expect([lines.length, lines[101]]).toEqual([103, '… and 1100 more']);
    expect(lines[102]).toMatch(/^HISTORY DIFFERS in 1200,/);
    expect(asked).toEqual([500, 500, 200, 500, 500, 200]);
  });
});
