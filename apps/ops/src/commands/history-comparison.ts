import { sleep } from '@agent-wallet/kernel';
import type { historyV1, operationsV1 } from '@agent-wallet/contracts';
import type { Services } from '../services.js';

type InService = operationsV1.OperationRevision;
type InHistory = historyV1.OperationState;
type Owner = Services['operations'][number];

/** Page size: the most that both services take. */
const PAGE = 500;

/** An operation that history records otherwise than its service. */
export interface Difference {
  readonly what: 'MISSING' | 'OTHER AGENT' | 'OTHER REVISION' | 'OTHER STATUS';
  readonly service: InService;
  readonly history: InHistory | undefined;
}

/** Range of acceptance times of operations, in Unix milliseconds. */
interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Compares operations in history with those of their services. */
export class HistoryComparison {
  constructor(
    private readonly services: Pick<Services, 'history' | 'operations'>,
    private readonly settleMs: number,
  ) {}

  /** Compares operations and returns the differences that persist on a second comparison, with the number compared. */
  async run(window: Window): Promise<{ readonly compared: number; readonly differences: Difference[] }> {
    let compared = 0;
    const suspects: { owner: Owner; operations: InService[] }[] = [];
    for (const owner of this.services.operations) {
      const found: InService[] = [];
      for await (const page of pagesOf(owner, { afterId: idAt(window.fromMs), beforeId: idAt(window.untilMs) })) {
        compared += page.length;
        const inHistory = await this.#historyOf(page);
        found.push(...page.filter((each) => differenceOf(each, inHistory.get(each.operationId)) !== undefined));
      }
      if (found.length > 0) suspects.push({ owner, operations: found });
    }
    if (suspects.length > 0) await sleep(this.settleMs);
    const differences: Difference[] = [];
    for (const { owner, operations } of suspects) differences.push(...(await this.#compareAgain(owner, operations)));
    return { compared, differences };
  }

  /**
   * Operations continue between two calls, so history is read first: it must have reached the revision that the service had
   * in the first comparison, and cannot be ahead of the one that the service has afterwards.
   */
  async #compareAgain(owner: Owner, suspects: readonly InService[]): Promise<Difference[]> {
    const inHistory = new Map<string, InHistory>();
    for (let n = 0; n < suspects.length; n += PAGE)
      for (const [id, state] of await this.#historyOf(suspects.slice(n, n + PAGE))) inHistory.set(id, state);
    const inService = new Map<string, InService>();
    const [first, last] = [suspects[0]!.operationId, suspects.at(-1)!.operationId];
    for await (const page of pagesOf(owner, { afterId: neighbour(first, -1n), beforeId: neighbour(last, 1n) }))
      for (const each of page) inService.set(each.operationId, each);
    return suspects.flatMap((before) => {
      const state = inHistory.get(before.operationId);
      const now = inService.get(before.operationId) ?? before;
      const isBetween = state && state.revision > before.revision && state.revision < now.revision;
      const difference = differenceOf(before, state) && differenceOf(now, state);
      return difference === undefined || isBetween ? [] : [{ what: difference, service: now, history: state }];
    });
  }

  async #historyOf(page: readonly InService[]): Promise<Map<string, InHistory>> {
    const { operations } = await this.services.history.listOperationStates({
      operationIds: page.map(({ operationId }) => operationId),
    });
    return new Map(operations.map((each) => [each.operationId, each]));
  }
}

interface IdRange {
  readonly afterId: string;
  readonly beforeId: string;
}

/** Yields the operations of a service between two IDs, by pages that are never empty. */
async function* pagesOf(owner: Owner, { afterId, beforeId }: IdRange): AsyncGenerator<readonly InService[]> {
  for (let afterOperationId = afterId; ;) {
    const request = { afterOperationId, beforeOperationId: beforeId, limit: PAGE };
    const { operations } = await owner.listOperationRevisions(request);
    if (operations.length > 0) yield operations;
    if (operations.length < PAGE) return;
    afterOperationId = operations.at(-1)!.operationId;
  }
}

function differenceOf(service: InService, history: InHistory | undefined): Difference['what'] | undefined {
  if (!history) return 'MISSING';
  if (history.agentId !== service.agentId) return 'OTHER AGENT';
  if (history.revision !== service.revision) return 'OTHER REVISION';
  return statusesOf(service).includes(history.status) ? undefined : 'OTHER STATUS';
}

/** Lists the names that history may have for a state: it names the party that rejected an operation. */
const statusesOf = ({ state }: InService): readonly string[] =>
  state === 'rejected' ? ['rejected_by_policy', 'rejected_by_owner', 'cancelled'] : [state];

const HEX = 16;
const TIME_DIGITS = 12;
const ID_DIGITS = 32;

/** Returns the first ID (UUIDv7) of a millisecond. */
function idAt(unixMs: number): string {
  return dashed(`${Math.max(unixMs, 0).toString(HEX).padStart(TIME_DIGITS, '0')}70008000000000000000`);
}

/** Returns the ID right before or after another. */
function neighbour(id: string, distance: 1n | -1n): string {
  const number = BigInt(`0x${id.replaceAll('-', '')}`) + distance;
  return dashed(number.toString(HEX).padStart(ID_DIGITS, '0'));
}

const dashed = (digits: string): string => digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
