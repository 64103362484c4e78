import { AgentWallet } from '@agent-wallet/sdk';
import { describe, expect, it } from '@jest/globals';
import { MockLanguageModelV3 } from 'ai/test';
import { shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { answer } from './harness/tools-example.js';

describe('the tools of a model', () => {
  it('pay, and read refusals, through the real service', async () => {
    const deployment = await shareDeployment();
    const agent = await deployment.agent({ SOL: 1, USDC: 300 });
    const wallet = new AgentWallet({ baseUrl: deployment.url() }, agent.token);
    const to = newRecipient();
    const inputs = [
      { to, amount: '1.25', mint: 'USDC' },
      { to, amount: '5000', mint: 'USDC' },
    ];
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        const answers = prompt.filter(({ role }) => role === 'tool');
        const input = JSON.stringify(inputs[answers.length]);
        const call = { type: 'tool-call' as const, toolCallId: `${answers.length}`, toolName: 'transfer', input };
        const isOver = answers.length === inputs.length;
        return {
          content: [isOver ? { type: 'text', text: JSON.stringify(answers.map(({ content }) => content)) } : call],
          finishReason: { unified: isOver ? 'stop' : 'tool-calls', raw: undefined },
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
          warnings: [],
        };
      },
    });
    const text = await answer(model, wallet, 'Pay.');
    expect(text).toMatch(/confirmed.*(INSUFFICIENT_FUNDS|POLICY_VIOLATION)/);
    expect(await deployment.sandbox.balanceRaw(to, 'USDC')).toBe(1_250_000n);
  });
});
