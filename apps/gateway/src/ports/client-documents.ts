/** A client of the authorization server, as its own document describes it. Nothing in it is verified but the address. */
export interface OAuthClient {
  /** HTTPS URL of the document. */
  readonly id: string;
  readonly name: string;
  /** HTTPS URL of the client's home page. */
  readonly uri: string | undefined;
  /** Redirect URIs as the document spells them: a request must name one of them exactly. */
  readonly redirectUris: readonly string[];
  /** Whether the operator registered it; any stranger can have a document of their own. */
  readonly isRegistered: boolean;
}

/** A client id or document that is refused, with the reason as a sentence for the developer of the client. */
export class ClientRefused extends Error {}

/** OAuth client ID metadata documents (draft-ietf-oauth-client-id-metadata-document). */
export interface ClientDocuments {
  /**
   * Reads the client of an id.
   * @param network network of the browser that sends the request, which has few documents fetched at once
   * @throws ClientRefused
   */
  read(clientId: string, network: string): Promise<OAuthClient>;
}
