import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { tokenOf } from './scripted-api.js';

/** A POST as the service got it. */
export interface Posted {
  readonly headers: IncomingMessage['headers'];
  readonly url: string;
  readonly body: string;
}

/** Takes a POST before the server does. Returns whether it has answered. */
type Before = (posted: Posted, response: ServerResponse) => boolean;

const failure = (status: number, code: string, message: string) =>
  JSON.stringify({ status: false, statusCode: status, message, data: { code, retry: 'never', suggestion: null } });

/** An MCP server behind a check of tokens, with tools that a test looks into. */
export class McpService {
  static readonly token = tokenOf('01938f70-0000-7000-8000-000000000001');
  readonly posts: Posted[] = [];
  /** Handles that `execute` was called with. */
  readonly executed: string[] = [];
  before: Before = () => false;
  /** Called when `hold` is called; its answer waits for the promise. */
  onHold: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();

  readonly #handler = createMcpHandler(() => this.#server(), { keepAliveMs: 0 });
  readonly #http = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<McpService> {
    const service = new McpService();
    await new Promise<void>((resolve) => service.#http.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.posts.length = 0;
    this.executed.length = 0;
    this.before = () => false;
    this.onHold = () => Promise.resolve();
  }

  /** Reports to those who listen that the list of tools has changed. */
  changeTools(): void {
    this.#handler.notify.toolsChanged();
  }

  /** Refuses a POST as the API does. */
  static refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}): true {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(failure(status, code, 'Refused.'));
    return true;
  }

  async stop(): Promise<void> {
    await this.#handler.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #server(): McpServer {
    const server = new McpServer(
      { name: 'wallet', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    );
    const textOf = (text: string) => ({ content: [{ type: 'text' as const, text }] });
    server.registerTool('execute', { inputSchema: z.object({ handle: z.string() }) }, ({ handle }) => {
      this.executed.push(handle);
      return textOf(`executed ${handle}`);
    });
    server.registerTool('hold', { inputSchema: z.object({}) }, async (_args, context) => {
      await this.onHold(context.mcpReq.signal);
      return textOf('held');
    });
    server.registerTool('count', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? 'none';
      for (const progress of [1, 2]) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
      }
      return textOf('counted');
    });
    return server;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { headers, url = '' } = request;
    const posted = { headers, url, body: Buffer.concat(chunks).toString() };
    this.posts.push(posted);
    if (this.before(posted, response)) return;
    if (headers.authorization !== `Bearer ${McpService.token}`) {
      McpService.refuse(response, 401, 'AUTHENTICATION_ERROR');
      return;
    }
    await this.#answer(request, posted, response);
  }

  async #answer({ method = '' }: IncomingMessage, { headers, url, body }: Posted, response: ServerResponse) {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const answer = await this.#handler.fetch(
      new Request(new URL(url, this.url), {
        method,
        headers: headers as Record<string, string>,
        body,
        signal: gone.signal,
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders();
    const reader = answer.body?.getReader();
    gone.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined));
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      response.write(part.value as Uint8Array);
    }
    response.end();
  }
}
