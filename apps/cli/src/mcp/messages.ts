/** Identifier of a request. */
export type Id = string | number;

/** Reasons of JSON-RPC errors. */
export const CODES = { unparsable: -32700, invalid: -32600, internal: -32603 } as const;

/** A request, or a notification, which has no id. */
export interface Message {
  readonly method: string;
  readonly id: Id | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  /** Line as the host wrote it, so that numbers keep their digits. */
  readonly line: string;
}

/** Error of a JSON-RPC answer. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Returns the value of JSON; undefined when the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the fields of an object; none for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns a request or a notification; undefined for anything else. */
export function toMessage(value: unknown, line: string): Message | undefined {
  const { jsonrpc, method, id, params } = fieldsOf(value);
  const hasId = typeof id === 'string' || typeof id === 'number';
  if (jsonrpc !== '2.0' || typeof method !== 'string' || (id !== undefined && !hasId)) return undefined;
  return { method, id: hasId ? id : undefined, params: fieldsOf(params), line };
}

/** Reports whether a value is the answer to a request of the server. */
export function isAnswer(value: unknown): boolean {
  const fields = fieldsOf(value);
  return !('method' in fields) && ('result' in fields || 'error' in fields);
}

/** Reports whether a value is the answer to this request. */
export function isAnswerTo(value: unknown, id: Id): boolean {
  return isAnswer(value) && fieldsOf(value)['id'] === id;
}

/** Returns the error of a JSON-RPC answer; undefined for anything else. */
export function toRpcError(value: unknown): RpcError | undefined {
  const { jsonrpc, error } = fieldsOf(value);
  const { code, message } = fieldsOf(error);
  return jsonrpc === '2.0' && typeof code === 'number' && typeof message === 'string' ? (error as RpcError) : undefined;
}

/** Writes the answer that reports an error. */
export function errorLine(id: Id | null, error: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** Writes JSON on one line. A line break in JSON is always white space, so that a blank can take its place. */
export function oneLine(json: string): string {
  return json.trim().replace(/[\r\n]+/g, ' ');
}
