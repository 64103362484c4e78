import type * as auditV1 from '../generated/agentwallet/audit/v1/event.js';
import type { StoredEvent } from '../log/records.js';

interface Requested {
  readonly event: StoredEvent;
  readonly document: Uint8Array;
}

/** Documents of each approval. That of a payment has another one for each trust that its owner has chosen. */
export class RequestedDocuments {
  readonly #requests = new Map<string, Requested[]>();

  /** Takes a request, in any order. */
  add(event: StoredEvent, { approvalId, document }: auditV1.ApprovalRequested): void {
    const requested = this.#requests.get(approvalId);
    if (requested) requested.push({ event, document });
    else this.#requests.set(approvalId, [{ event, document }]);
  }

  /** Returns the document that an approval had at an event: the latest before in the same chain. */
  before({ agentId, sequence }: StoredEvent, approvalId: string): Requested | undefined {
    return (this.#requests.get(approvalId) ?? [])
      .filter(({ event }) => event.agentId === agentId && event.sequence < sequence)
      .sort((a, b) => a.event.sequence - b.event.sequence)
      .at(-1);
  }
}
