import { sleep } from '@agent-wallet/kernel';
import type { historyV1, operationsV1 } from '@agent-wallet/contracts';
import type { Services } from '../services.js';

type Said = operationsV1.OperationRevision;
type Told = historyV1.OperationState;
type Owner = Services['operations'][number];

/** What both services take at most. */
const PAGE = 500;

/** An operation of which history tells something else than the service that carries it out. */
export interface Difference {
  readonly what: 'MISSING' | 'OTHER AGENT' | 'OTHER REVISION' | 'OTHER STATUS';
  readonly said: Said;
  readonly told: Told | undefined;
}

/** Which operations: those that were accepted in between, in Unix milliseconds. */
export interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Holds what history tells of operations against what their services say. */
export class HistoryComparison {
  constructor(
    private readonly services: Pick<Services, 'history' | 'operations'>,
    private readonly settleMs: number,
  ) {}

  /** What is still different at a second look, and of how many. */
  async run(window: Window): Promise<{ readonly compared: number; readonly differences: Difference[] }> {
    let compared = 0;
    const suspects: { owner: Owner; said: Said[] }[] = [];
    for (const owner of this.services.operations) {
      const found: Said[] = [];
      for await (const page of pagesOf(owner, { afterId: idAt(window.fromMs), beforeId: idAt(window.untilMs) })) {
        compared += page.length;
        const told = await this.#toldOf(page);
        found.push(...page.filter((said) => differenceOf(said, told.get(said.operationId)) !== undefined));
      }
      if (found.length > 0) suspects.push({ owner, said: found });
    }
    if (suspects.length > 0) await sleep(this.settleMs);
    const differences: Difference[] = [];
    for (const { owner, said } of suspects) differences.push(...(await this.#lookAgain(owner, said)));
    return { compared, differences };
  }

  /**
   * Operations go on between two questions, so history is asked first: it must have reached what its service said at the
   * first look, and cannot be further than what the service says afterwards.
   */
  async #lookAgain(owner: Owner, suspects: readonly Said[]): Promise<Difference[]> {
    const told = new Map<string, Told>();
    for (let n = 0; n < suspects.length; n += PAGE)
      for (const [id, state] of await this.#toldOf(suspects.slice(n, n + PAGE))) told.set(id, state);
    const saidNow = new Map<string, Said>();
    const [first, last] = [suspects[0]!.operationId, suspects.at(-1)!.operationId];
    for await (const page of pagesOf(owner, { afterId: neighbour(first, -1n), beforeId: neighbour(last, 1n) }))
      for (const said of page) saidNow.set(said.operationId, said);
    return suspects.flatMap((before) => {
      const state = told.get(before.operationId);
      const now = saidNow.get(before.operationId) ?? before;
      const isBetween = state && state.revision > before.revision && state.revision < now.revision;
      const difference = differenceOf(before, state) && differenceOf(now, state);
      return difference === undefined || isBetween ? [] : [{ what: difference, said: now, told: state }];
    });
  }

  async #toldOf(page: readonly Said[]): Promise<Map<string, Told>> {
    const { operations } = await this.services.history.listOperationStates({
      operationIds: page.map(({ operationId }) => operationId),
    });
    return new Map(operations.map((told) => [told.operationId, told]));
  }
}

interface IdRange {
  readonly afterId: string;
  readonly beforeId: string;
}

/** The operations of a service between two ids, by pages that are never empty. */
async function* pagesOf(owner: Owner, { afterId, beforeId }: IdRange): AsyncGenerator<readonly Said[]> {
  for (let afterOperationId = afterId; ;) {
    const request = { afterOperationId, beforeOperationId: beforeId, limit: PAGE };
    const { operations } = await owner.listOperationRevisions(request);
    if (operations.length > 0) yield operations;
    if (operations.length < PAGE) return;
    afterOperationId = operations.at(-1)!.operationId;
  }
}

function differenceOf(said: Said, told: Told | undefined): Difference['what'] | undefined {
  if (!told) return 'MISSING';
  if (told.agentId !== said.agentId) return 'OTHER AGENT';
  if (told.revision !== said.revision) return 'OTHER REVISION';
  return told.status === statusOf(said) ? undefined : 'OTHER STATUS';
}

/** What history calls a state. */
const statusOf = ({ state }: Said): string => (state === 'rejected' ? 'rejected_by_policy' : state);

const HEX = 16;
const TIME_DIGITS = 12;
const ID_DIGITS = 32;

/** The first id (UUIDv7) of a millisecond. */
function idAt(unixMs: number): string {
  return dashed(`${Math.max(unixMs, 0).toString(HEX).padStart(TIME_DIGITS, '0')}70008000000000000000`);
}

/** The id right before or after another. */
function neighbour(id: string, distance: 1n | -1n): string {
  const number = BigInt(`0x${id.replaceAll('-', '')}`) + distance;
  return dashed(number.toString(HEX).padStart(ID_DIGITS, '0'));
}

const dashed = (digits: string): string => digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
