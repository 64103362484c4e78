import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, type Model, type ModelResponse, Runner } from '@openai/agents';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { aiSdkTools } from '../src/adapters/ai-sdk.js';
import { langChainTools } from '../src/adapters/langchain.js';
import { openAiAgentsTools } from '../src/adapters/openai-agents.js';
import { AgentWallet } from '../src/index.js';
import { ScriptedService, success, tokenOf } from './scripted-service.js';

const INPUT = { to: 'a', amount: '64.1', mint: 'USDC' };
const RESULT = { signature: 's' };

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

/** A wallet whose service grants what it is asked for. */
function wallet(): AgentWallet {
  service.script(success(RESULT));
  return new AgentWallet({ baseUrl: service.url }, tokenOf('agent'));
}

const payments = () => service.seen.map(({ path, body }) => [path, body]);
const ONE_PAYMENT = [['/wallets/me/actions/transfer', '{"to":"a","amount":64.1,"mint":"USDC"}']];

describe("a model of Vercel's AI SDK", () => {
  it('pays by a tool and reads its result', async () => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        const isPaid = prompt.some(({ role }) => role === 'tool');
        const call = {
          type: 'tool-call' as const,
          toolCallId: '1',
          toolName: 'transfer',
          input: JSON.stringify(INPUT),
        };
        return {
          content: [isPaid ? { type: 'text', text: JSON.stringify(prompt.at(-1)) } : call],
          finishReason: { unified: isPaid ? 'stop' : 'tool-calls', raw: undefined },
          ...{ usage, warnings: [] },
        };
      },
    });
    const { text } = await generateText({
      model,
      tools: aiSdkTools(wallet()),
      stopWhen: stepCountIs(3),
      prompt: 'Pay.',
    });
    expect(payments()).toEqual(ONE_PAYMENT);
    expect(text).toContain(JSON.stringify(JSON.stringify(RESULT)));
    expect(model.doGenerateCalls[0]?.tools).toContainEqual(
      expect.objectContaining({
        name: 'transfer',
        inputSchema: expect.objectContaining({ required: ['to', 'amount'] }),
      }),
    );
  });
});

describe('a tool of LangChain', () => {
  it('pays when it is called, and refuses what its schema does not have', async () => {
    const transfer = langChainTools(wallet()).find(({ name }) => name === 'transfer')!;
    const message = await transfer.invoke({ type: 'tool_call', id: '1', name: 'transfer', args: INPUT });
    expect(message).toMatchObject({ tool_call_id: '1', content: JSON.stringify(RESULT) });
    expect(payments()).toEqual(ONE_PAYMENT);
    await expect(transfer.invoke({ ...INPUT, amount: 64.1 })).rejects.toThrow('schema');
  });
});

describe("an agent of OpenAI's Agents SDK", () => {
  /** Calls the tool, and then ends with what it was answered. */
  const model: Model = {
    getResponse: async ({ input }) => {
      const result = Array.isArray(input) && input.find(({ type }) => type === 'function_call_result');
      const output: ModelResponse['output'] = result
        ? [
            {
              ...{ type: 'message', role: 'assistant', status: 'completed' },
              content: [{ type: 'output_text', text: JSON.stringify(result) }],
            },
          ]
        : [
            {
              type: 'function_call',
              callId: '1',
              name: 'transfer',
              arguments: JSON.stringify(INPUT),
              status: 'completed',
            },
          ];
      return { output, usage: { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 } } as ModelResponse;
    },
    getStreamedResponse: () => {
      throw new Error('not used');
    },
  };
  const runner = new Runner({ tracingDisabled: true });
  const agentOf = (tools: ReturnType<typeof openAiAgentsTools>) =>
    new Agent({ name: 'payer', model, tools: [...tools] });

  it('pays by a tool and reads its result', async () => {
    const { finalOutput } = await runner.run(agentOf(openAiAgentsTools(wallet())), 'Pay.');
    expect(payments()).toEqual(ONE_PAYMENT);
    expect(finalOutput).toContain('signature');
  });

  it('stops for a person where that is asked for, and pays once approved', async () => {
    const agent = agentOf(openAiAgentsTools(wallet(), { needsApproval: true }));
    const { interruptions, state } = await runner.run(agent, 'Pay.');
    expect([interruptions.length, payments()]).toEqual([1, []]);
    state.approve(interruptions[0]!);
    await runner.run(agent, state);
    expect(payments()).toEqual(ONE_PAYMENT);
  });
});
