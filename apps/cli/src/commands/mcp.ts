import type { Command } from '../command.js';
import type { Context } from '../context.js';
import { NotLoggedInError, UsageError } from '../exit-codes.js';
import { Bridge } from '../mcp/bridge.js';

const CONFIGURATION = '{"mcpServers":{"wallet":{"command":"aw","args":["mcp"]}}}';

/** Returns the line that says at the start for whom the program serves. */
function greeting(context: Context): string {
  const { api } = context;
  try {
    context.token();
  } catch (error) {
    if (!(error instanceof NotLoggedInError)) throw error;
    return `Serving over stdio at ${api}, without a login: ${error.message} Run: ${context.loginLine()}`;
  }
  const owner = context.surroundings.env['AW_TOKEN'] ? 'the token in AW_TOKEN' : context.sessionFile.read()?.email;
  return `Serving the wallet of ${owner} at ${api} over stdio.`;
}

export const mcp: Command = {
  usage: 'mcp',
  summary: 'Serve the tools of the wallet to an agent host, by MCP over stdio',
  examples: [
    ['mcp', 'Serve with the session of aw login'],
    ['mcp --api https://wallet.example.com', 'Serve the wallet at this service'],
  ],
  notes: `Configuration of a host:\n  ${CONFIGURATION}`,
  run: async (context) => {
    const { surroundings } = context;
    if (!URL.canParse(context.api)) throw new UsageError(`--api takes an address, not ${context.api}.`);
    context.output.progress(greeting(context));
    const bridge = new Bridge({
      input: surroundings.input,
      answer: (line) => surroundings.out(`${line}\n`),
      say: (line) => context.output.progress(line),
      destination: () => ({
        api: context.api,
        token: () => context.token(),
        login: context.loginLine(),
        isGivenToken: Boolean(surroundings.env['AW_TOKEN']),
      }),
    });
    const end = surroundings.onStop(() => bridge.stop());
    try {
      await bridge.run();
    } finally {
      end();
    }
  },
};
