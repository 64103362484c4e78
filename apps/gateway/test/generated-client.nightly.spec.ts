import { createClient } from '@hey-api/openapi-ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { agentRoutes, ROUTES } from '../src/api/routes.js';
import { openApiDocument } from '../src/http/docs/open-api.js';

/**
 * How a client tells the outcomes of a transfer apart, and failures. What may grow has a case for what is not known yet,
 * which the compiler asks for; what may not grow needs none.
 */
const CONSUMER = `
const never = (value: never): never => {
  throw new Error(String(value));
};

export function sentBy(outcome: Schemas['TransferOutcome']): string | null {
  switch (outcome.transactionStatus) {
    case 'confirmed':
      return outcome.amountSentRaw;
    case 'dry_run':
      return outcome.policy.allowed ? outcome.amountRaw : null;
    default:
      return never(outcome);
  }
}

export function idOf(accepted: Schemas['Accepted']): string {
  return 'approvalId' in accepted ? accepted.approvalId : accepted.transactionId;
}

export function retryOf({ data }: Schemas['Failure']): 'same' | 'new' | 'none' {
  switch (data.retry) {
    case 'same_key':
      return 'same';
    case 'new_key':
      return 'new';
    case 'never':
      return 'none';
    default:
      return never(data.retry);
  }
}

export function limitOf(data: Schemas['ErrorData']): number | null {
  return data.code === 'POLICY_VIOLATION' && 'limitUsd' in data ? data.limitUsd : null;
}

export function costOf(record: Schemas['Transaction']): number | null {
  if (record.action !== 'prediction_buy' || !('totalCostDollars' in record.metadata)) return null;
  return typeof record.metadata.totalCostDollars === 'number' ? record.metadata.totalCostDollars : null;
}

export function nameOf(code: Schemas['ErrorCode'], action: Schemas['Transaction']['action']): string {
  return code + action;
}

// A value of tomorrow is a value of the type today.
export const tomorrow: readonly [Schemas['ErrorCode'], Schemas['PolicyRule'], Schemas['TransactionState']] =
  ['NEW_CODE', 'new_rule', 'new_status'];
export const record: Pick<Schemas['OtherTransaction'], 'action'> = { action: 'new_action' };
`;

/** Names of the schemas that the consumer uses. */
const USED = [...new Set([...CONSUMER.matchAll(/Schemas\['(\w+)'\]/g)].map(([, name]) => name!))];

const OF_OPENAPI_TYPESCRIPT = `import type { components } from './api.js';

type Schemas = components['schemas'];
`;

/** The other generator exports each schema by its name. */
const OF_HEY_API = `import type * as api from './out/index.js';

interface Schemas {
${USED.map((name) => `  ${name}: api.${name};`).join('\n')}
}
`;

const DEPLOYMENT = { publicUrl: 'https://wallet.example.com', network: 'sandbox' } as const;

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitReturns: true,
  noEmit: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

/** What the compiler says of files that exist in memory only. */
function problemsOf(files: Readonly<Record<string, string>>): string[] {
  const disk = ts.createCompilerHost(OPTIONS);
  const given = (name: string) => files[name.split('/').at(-1)!];
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => given(name) !== undefined || disk.fileExists(name),
    readFile: (name) => given(name) ?? disk.readFile(name),
    getSourceFile: (name, version) => {
      const text = given(name);
      return text === undefined ? disk.getSourceFile(name, version) : ts.createSourceFile(name, text, version);
    },
  };
  const program = ts.createProgram(Object.keys(files), OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

/** What nothing is known of: what a browser sends and the service does not read. */
const UNREAD_FIELDS = [
  // The metadata of an action of tomorrow.
  '[key: string]: unknown;',
  ...['authenticatorAttachment', 'clientExtensionResults', 'userHandle'],
  ...['authenticatorAttachment', 'clientExtensionResults', 'authenticatorData'],
  ...['publicKey', 'publicKeyAlgorithm', 'transports'],
];

/** Returns what has the type `unknown`, apart from the headers of the generator's own types. */
function untypedFields(code: string): string[] {
  const lines = code
    .split('\n')
    .filter((line) => /\bunknown\b/.test(line) && !line.includes('[name: string]: unknown;'));
  return lines.map((line) => /^\s*(\w+)\??: unknown;$/.exec(line)?.[1] ?? line.trim());
}

describe('a TypeScript client generated from openapi.json', () => {
  it('compiles under strict settings without any, with values of tomorrow where they may grow and exhaustive switches elsewhere', async () => {
    const document = openApiDocument(ROUTES, DEPLOYMENT) as unknown as OpenAPI3;
    const api = astToString(await openapiTS(structuredClone(document)));
    const code = api.replace(/\/\*[^]*?\*\//g, '');
    expect(code).not.toMatch(/\bany\b/);
    expect(untypedFields(code)).toEqual(UNREAD_FIELDS);
    const consumer = OF_OPENAPI_TYPESCRIPT + CONSUMER;
    expect(problemsOf({ 'api.ts': api, 'consumer.ts': consumer })).toEqual([]);
    // A case that is missing is noticed.
    const incomplete = consumer.replace("    case 'new_key':\n      return 'new';\n", '');
    expect(problemsOf({ 'api.ts': api, 'consumer.ts': incomplete })).not.toEqual([]);
  });

  it('compiles as hey-api makes it, with the same consumer', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'hey-api-'));
    try {
      await createClient({
        input: openApiDocument(agentRoutes(ROUTES), DEPLOYMENT),
        output: { path: path.join(folder, 'out'), module: { extension: '.js' } },
        plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
        logs: { level: 'silent' },
      });
      const options = {
        ...OPTIONS,
        exactOptionalPropertyTypes: false,
        skipLibCheck: true,
        lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      };
      await writeFile(path.join(folder, 'consumer.ts'), OF_HEY_API + CONSUMER);
      const program = ts.createProgram([path.join(folder, 'consumer.ts'), path.join(folder, 'out/index.ts')], options);
      const problems = ts.getPreEmitDiagnostics(program);
      expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
