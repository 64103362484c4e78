import { auditV1, type historyV1 } from '@agent-wallet/contracts';
import { newId, unpackIds } from '@agent-wallet/kernel';
import type { HistoryService } from '../src/ports/services.js';

/** A log in memory that answers as history does. */
export class ScriptedLog {
  #changes: historyV1.Change[] = [];
  /** Number of calls of `followChanges`. */
  reads = 0;
  /** Size of the agents' ids in each of these calls. */
  readonly requestBytes: number[] = [];
  /** Events of a page of the log. */
  pageEvents = 1_000;
  /** Changes that are sent again. */
  atMost = 200;

  /** Appends an event of an agent, and returns its number. */
  append(agentId: string, fact: auditV1.AuditEvent['fact'] = SESSION_ENDED): bigint {
    const eventId = newId();
    const sequence = BigInt(this.#changes.filter(({ place }) => place!.agentId === agentId).length + 1);
    const origin = { source: 'wallet', requestId: '', traceparent: '' };
    const event = { eventId, agentId, occurredAtMs: 1_763_719_200_000n, ...origin, fact };
    const payload = Buffer.from(auditV1.AuditEvent.encode(event).finish());
    const position = BigInt(this.#changes.length + 1);
    this.#changes.push({ place: { agentId, sequence }, eventId, payload, position });
    return sequence;
  }

  /** Loses its end, as a log does that is restored. */
  cut(size: number): void {
    this.#changes = this.#changes.slice(0, size);
  }

  /** The part of history's script. */
  get script(): Pick<HistoryService, 'findChanges' | 'followChanges'> {
    return {
      findChanges: async ({ agentIds, after }) => {
        const own = this.#changes.filter(({ place }) => agentIds.includes(place!.agentId));
        const position = BigInt(this.#changes.length);
        const at = after && this.#changes.findIndex(({ place: p }) => isSame(p!, after));
        const isUnknown = at === -1 && after!.sequence !== 0n;
        const changes = at === undefined || isUnknown ? [] : own.filter((each) => this.#changes.indexOf(each) > at);
        const isTooFar = isUnknown || changes.length > this.atMost;
        return { position, latest: own.at(-1)?.place, changes: isTooFar ? [] : changes, isTooFar };
      },
      followChanges: async ({ agentIds, afterPosition, untilPosition }) => {
        this.reads += 1;
        this.requestBytes.push(agentIds.length);
        const followed = new Set(unpackIds('agentIds', agentIds));
        const logEnd = BigInt(this.#changes.length);
        const pageEnd = untilPosition ?? afterPosition + BigInt(this.pageEvents);
        const position = pageEnd < logEnd ? pageEnd : logEnd;
        const page = this.#changes.slice(Number(afterPosition), Number(position));
        const changes = page.filter(({ place }) => followed.has(place!.agentId));
        return { position, changes, hasMore: position < logEnd };
      },
    };
  }
}

const SESSION_ENDED: auditV1.AuditEvent['fact'] = { $case: 'sessionEnded', value: { sessionId: newId() } };

function isSame(a: historyV1.ChainPlace, b: historyV1.ChainPlace): boolean {
  return a.agentId === b.agentId && a.sequence === b.sequence;
}
