import { fieldsOf, type Message } from './messages.js';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Parameters that a request is named by. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Returns the headers that repeat parts of a message. @param legacyVersion as `initialize` has agreed on it */
export function mcpHeaders({ method, params }: Message, legacyVersion: string | undefined): Record<string, string> {
  const version = fieldsOf(params['_meta'])[VERSION_KEY];
  if (typeof version !== 'string') {
    return legacyVersion === undefined || method === 'initialize'
      ? {}
      : { 'mcp-protocol-version': encoded(legacyVersion) };
  }
  const name = params[NAMED_BY[method] ?? ''];
  return {
    'mcp-protocol-version': encoded(version),
    'mcp-method': encoded(method),
    ...(typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
  };
}

/** Writes text as the value of a header. */
function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  // Text that looks encoded would be decoded by the server.
  if (isPlain && !/^=\?base64\?.*\?=$/.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
