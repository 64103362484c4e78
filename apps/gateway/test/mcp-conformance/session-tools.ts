import type { ElicitRequestFormParams, ElicitResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { text } from './media.js';

type Form = ElicitRequestFormParams['requestedSchema'];

const DEFAULTS: Form = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const OPTIONS = ['option1', 'option2', 'option3'];
const TITLED = ['First', 'Second', 'Third'].map((title, index) => ({ const: `value${index + 1}`, title }));

const CHOICES: Form = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: TITLED },
    legacyEnum: { type: 'string', enum: OPTIONS, enumNames: OPTIONS.map((option) => `Name of ${option}`) },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: { type: 'array', items: { anyOf: TITLED } },
  },
};

/** Adds the tools of 2025-11-25 that send the client messages while they run. */
export function addSessionTools(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description: 'Logs three times' }, async ({ mcpReq }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line);
    }
    return { content: [text('Done')] };
  });
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: text(prompt) }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
      return { content: [text(`LLM response: ${JSON.stringify(content)}`)] };
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const requestedSchema: Form = {
        type: 'object',
        properties: { username: { type: 'string' }, email: { type: 'string' } },
        required: ['username', 'email'],
      };
      return describe('User response', await mcpReq.elicitInput({ message, requestedSchema }));
    },
  );
  for (const [name, requestedSchema] of [
    ['test_elicitation_sep1034_defaults', DEFAULTS],
    ['test_elicitation_sep1330_enums', CHOICES],
  ] as const) {
    server.registerTool(name, { description: 'Asks the user' }, async ({ mcpReq }) =>
      describe('Elicitation completed', await mcpReq.elicitInput({ message: 'Please answer', requestedSchema })),
    );
  }
}

function describe(event: string, { action, content }: ElicitResult) {
  return { content: [text(`${event}: action=${action}, content=${JSON.stringify(content ?? {})}`)] };
}
