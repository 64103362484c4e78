/**
 * Lets the requests of one agent that wait in this process go together: one statement an agent is under way at a time,
 * and what came meanwhile is the next one. An agent that sends fifty requests at once holds one connection, not all.
 */
export class AgentBatches<Request, Result> {
  readonly #waiting = new Map<string, Waiting<Request, Result>[]>();

  /** @param run answers every request, in order; when it fails, all that went together fail */
  constructor(private readonly run: (agentId: string, requests: readonly Request[]) => Promise<Result[]>) {}

  /** Hands in a request and waits for its own answer. */
  submit(agentId: string, request: Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      const entry = { request, resolve, reject };
      const waiting = this.#waiting.get(agentId);
      if (waiting) {
        waiting.push(entry);
        return;
      }
      this.#waiting.set(agentId, [entry]);
      void this.#drain(agentId);
    });
  }

  async #drain(agentId: string): Promise<void> {
    const waiting = this.#waiting.get(agentId)!;
    while (waiting.length > 0) await this.#runOne(agentId, waiting.splice(0, MAX_BATCH));
    this.#waiting.delete(agentId);
  }

  async #runOne(agentId: string, batch: readonly Waiting<Request, Result>[]): Promise<void> {
    try {
      const requests = batch.map(({ request }) => request);
      const results = await this.run(agentId, requests);
      batch.forEach(({ resolve }, i) => resolve(results[i]!));
    } catch (error) {
      batch.forEach(({ reject }) => reject(error));
    }
  }
}

const MAX_BATCH = 64;

interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}
