import {
  type McpHandlerRequestOptions,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';

/** Sessions of clients of 2025-11-25, each with a server of its own. */
export class Sessions {
  readonly #transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

  constructor(private readonly createServer: () => McpServer) {}

  /** Passes a request to its session, or opens one for a request without. */
  async fetch(request: Request, options: McpHandlerRequestOptions = {}): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const transport = id === null ? await this.#open() : this.#transports.get(id);
    if (!transport) return new Response(null, { status: 404 });
    return transport.handleRequest(request, options);
  }

  /** Ends every session. */
  async close(): Promise<void> {
    await Promise.all([...this.#transports.values()].map((transport) => transport.close()));
  }

  async #open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#transports.set(id, transport),
      onsessionclosed: (id) => void this.#transports.delete(id),
    });
    await this.createServer().connect(transport);
    return transport;
  }
}
