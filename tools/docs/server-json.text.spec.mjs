import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { root } from '../running/process.mjs';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const VARIABLE = /\{([^{}]+)\}/g;

const readJson = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

const exactVersion = z
  .string()
  .regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/)
  .max(255);

const inputFields = {
  description: z.string().min(1),
  isRequired: z.boolean(),
  isSecret: z.boolean().optional(),
  default: z.string().optional(),
  choices: z.array(z.string()).min(1).optional(),
};
const input = z.strictObject(inputFields);
const namedInput = z.strictObject({ name: z.string().min(1), ...inputFields });

/** Returns names that a template and its variables do not share. */
function unmatched({ url, variables = {} }) {
  const used = [...url.matchAll(VARIABLE)].map(([, name]) => name);
  const declared = Object.keys(variables);
  return [...used.filter((name) => !declared.includes(name)), ...declared.filter((name) => !used.includes(name))];
}

const remote = z
  .strictObject({
    type: z.enum(['streamable-http', 'sse']),
    url: z.string().regex(/^https:\/\//),
    variables: z.record(z.string(), input).optional(),
    headers: z.array(namedInput).optional(),
  })
  .refine((given) => unmatched(given).length === 0, 'variables must be those of the url')
  .refine(({ url }) => URL.canParse(url.replaceAll(VARIABLE, 'example.com')), 'the filled-in url must be one');

const npmPackage = z.strictObject({
  registryType: z.literal('npm'),
  identifier: z.string().min(1),
  version: exactVersion,
  transport: z.strictObject({ type: z.literal('stdio') }),
  packageArguments: z.array(z.strictObject({ type: z.literal('positional'), value: z.string().min(1) })),
  environmentVariables: z.array(namedInput),
});

/** Rules of the MCP registry for what the file uses, stricter than its schema about fields that it does not use. */
const serverJson = z.strictObject({
  $schema: z.literal(SCHEMA),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    .min(3)
    .max(200),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: exactVersion,
  remotes: z.array(remote).min(1),
  packages: z.array(npmPackage).min(1),
});

const server = readJson('server.json');
const cli = readJson('apps/cli/package.json');

describe('server.json', () => {
  it('follows the rules of the registry', () => {
    expect(serverJson.safeParse(server).error?.issues).toBeUndefined();
  });

  it('names the package of the command line, which names it back', () => {
    const [{ identifier, version }] = server.packages;
    expect([identifier, version, server.version]).toEqual([cli.name, cli.version, cli.version]);
    expect(cli.mcpName).toBe(server.name);
  });

  it('marks every token as a secret', () => {
    const inputs = [...server.remotes.flatMap(({ headers }) => headers), ...server.packages[0].environmentVariables];
    const tokens = inputs.filter(({ name }) => /authorization|token/i.test(name));
    expect(tokens.map(({ name, isSecret }) => [name, isSecret])).toEqual([
      ['Authorization', true],
      ['AW_TOKEN', true],
    ]);
  });

  it.each([
    ['a name without a namespace', { name: 'agent-wallet' }],
    ['a description that the registry cuts', { description: 'a'.repeat(101) }],
    ['a range of versions', { version: '^0.1.0' }],
    ['a package that is always the latest', { packages: [{ ...server.packages[0], version: 'latest' }] }],
    [
      'a variable that its address lacks',
      { remotes: [{ ...server.remotes[0], url: 'https://wallet.example.com/mcp' }] },
    ],
    ['an address without its variable', { remotes: [{ ...server.remotes[0], variables: {} }] }],
  ])('is rejected with %s', (_, change) => {
    expect(serverJson.safeParse({ ...server, ...change }).success).toBe(false);
  });
});
