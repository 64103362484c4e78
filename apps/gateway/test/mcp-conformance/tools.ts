import { type ContentBlock, fromJsonSchema, type JsonSchemaType, type McpServer } from '@modelcontextprotocol/server';
import { embedded, image, text, WAV } from './media.js';

/** Content that a tool returns, by the tool's name. */
const CONTENT: Readonly<Record<string, ContentBlock[]>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image()],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image(),
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
};

/** Keywords of JSON Schema 2020-12 that a list of tools must keep. */
const SCHEMA_2020_12: JsonSchemaType = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** An argument that clients repeat in a header, `Mcp-Param-Message`. */
const SCHEMA_WITH_HEADER = {
  type: 'object',
  properties: { message: { type: 'string', 'x-mcp-header': 'Message' } },
  required: ['message'],
} as JsonSchemaType;

/** Adds the tools that both revisions call. */
export function addTools(server: McpServer): void {
  for (const [name, content] of Object.entries(CONTENT)) {
    server.registerTool(name, { description: 'Returns fixed content' }, () => ({ content }));
  }
  server.registerTool('test_error_handling', { description: 'Fails' }, () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }));
  server.registerTool('test_tool_with_progress', { description: 'Reports progress' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
    return { content: [text('Done')] };
  });
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema of the 2020-12 draft', inputSchema: fromJsonSchema(SCHEMA_2020_12) },
    () => ({ content: [text('Done')] }),
  );
  server.registerTool(
    'test_custom_header',
    { description: 'Repeats an argument in a header', inputSchema: fromJsonSchema(SCHEMA_WITH_HEADER) },
    () => ({ content: [text('Done')] }),
  );
}
