import type { ClientDocuments, OAuthClient } from '../ports/client-documents.js';

/** Clients that the operator registered, before those that describe themselves. */
export class RegisteredClients implements ClientDocuments {
  readonly #byId: ReadonlyMap<string, OAuthClient>;

  constructor(
    registered: readonly OAuthClient[],
    private readonly others: ClientDocuments,
  ) {
    this.#byId = new Map(registered.map((client) => [client.id, client]));
  }

  async read(clientId: string, network: string): Promise<OAuthClient> {
    return this.#byId.get(clientId) ?? this.others.read(clientId, network);
  }
}
