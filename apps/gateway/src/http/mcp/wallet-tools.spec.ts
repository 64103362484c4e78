import { describe, expect, it } from '@jest/globals';
import { createWalletTools } from './wallet-tools.js';

const tools = createWalletTools().map(({ listed }) => listed);

describe('the list of tools', () => {
  // Of these texts a token has 4.4 characters, and of the schemas of results 3.6: together 12,000 tokens at most.
  it('costs a model 5,000 tokens at most, and 12,000 with the schemas of results', () => {
    const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const inputTokens = JSON.stringify(read).length / 4.4;
    const outputTokens = JSON.stringify(tools.map(({ outputSchema }) => outputSchema)).length / 3.6;
    expect(inputTokens).toBeLessThan(5_000);
    expect(inputTokens + outputTokens).toBeLessThan(12_000);
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))('%s speaks of tools, not of HTTP', (_, tool) => {
    expect(JSON.stringify(tool)).not.toMatch(/\b(?:GET|POST|PATCH|DELETE) [`/]|\b202\b/);
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))('%s takes amounts as decimal text', (_, { inputSchema }) => {
    const fields = Object.entries(
      (inputSchema as { properties?: Record<string, { type?: unknown }> }).properties ?? {},
    );
    for (const [name, { type }] of fields) if (/^amount/.test(name)) expect([name, type]).toEqual([name, 'string']);
  });

  it('says of each tolerance what its unit is', () => {
    const named = tools.flatMap(({ name, inputSchema }) => {
      const { slippageBps } = inputSchema['properties'] as Record<string, { description: string }>;
      return slippageBps === undefined ? [] : [[name, slippageBps.description]];
    });
    expect(named.map(([name]) => name)).toEqual(['prepare_trade', 'prepare_add_liquidity', 'prepare_remove_liquidity']);
    for (const [, description] of named) expect(description).toContain('50 is 0.5 %');
  });
});
