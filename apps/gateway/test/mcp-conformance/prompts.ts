import {
  acceptedContent,
  completable,
  type ContentBlock,
  inputRequired,
  type GetPromptResult,
  type McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { embedded, image, text } from './media.js';

const TWO_ARGUMENTS = z.object({ arg1: completable(z.string(), (begun) => [`${begun}ing`]), arg2: z.string() });

/** Adds the prompts that both revisions get. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Has no arguments' }, () =>
    fromUser(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Has two arguments', argsSchema: TWO_ARGUMENTS },
    ({ arg1, arg2 }) => fromUser(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Embeds a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      fromUser(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Holds an image' }, () =>
    fromUser(image(), text('Please analyze the image above.')),
  );
}

/** Adds the prompt that asks the client for input first. */
export function addAskingPrompt(server: McpServer): void {
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks for a context' }, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_context', z.object({ context: z.string() }));
    if (given) return fromUser(text(given.context));
    const user_context = inputRequired.elicit({
      message: 'What context should the prompt use?',
      requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
    });
    return inputRequired({ inputRequests: { user_context } });
  });
}

function fromUser(...contents: readonly ContentBlock[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}
