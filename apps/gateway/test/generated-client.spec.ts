import { describe, expect, it } from '@jest/globals';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { ROUTES } from '../src/api/routes.js';
import { openApiDocument } from '../src/http/docs/open-api.js';
import { PUBLIC_CODES } from '../src/api/schemas/error-records.js';

/** How a client tells the outcomes of a transfer apart, and every failure. Each switch must be exhaustive. */
const CONSUMER = `
import type { components } from './api.js';

type Schemas = components['schemas'];

const never = (value: never): never => {
  throw new Error(String(value));
};

export function sentBy(outcome: Schemas['TransferOutcome'] | Schemas['Accepted']): string | null {
  switch (outcome.transactionStatus) {
    case 'confirmed':
      return outcome.amountSentRaw;
    case 'dry_run':
      return outcome.policy.allowed ? outcome.amountRaw : null;
    case 'submitted':
      return outcome.signature;
    case 'awaiting_approval':
      return outcome.approvalUrl;
    default:
      return never(outcome);
  }
}

export function isRetriedAsItIs({ data }: Schemas['Failure']): boolean {
  switch (data.code) {
${PUBLIC_CODES.map((code) => `    case '${code}':`).join('\n')}
      return data.retry === 'same_key';
    default:
      return never(data);
  }
}

export function limitOf(data: Schemas['ErrorData']): number | null {
  return data.code === 'POLICY_VIOLATION' ? data.limitUsd : null;
}

export function costOf(record: Schemas['Transaction']): number | null {
  return record.action === 'prediction_buy' ? record.metadata.totalCostDollars : null;
}
`;

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

/** What a browser sends and the service does not read. */
const WEBAUTHN_FIELDS = [
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
  it('compiles under strict settings, with exhaustive switches over transactionStatus and code, without any', async () => {
    const document = openApiDocument(ROUTES, {
      publicUrl: 'https://wallet.example.com',
      network: 'sandbox',
    }) as unknown as OpenAPI3;
    const api = astToString(await openapiTS(structuredClone(document)));
    const code = api.replace(/\/\*[^]*?\*\//g, '');
    expect(code).not.toMatch(/\bany\b/);
    expect(untypedFields(code)).toEqual(WEBAUTHN_FIELDS);
    expect(problemsOf({ 'api.ts': api, 'consumer.ts': CONSUMER })).toEqual([]);
    // A case that is missing is noticed.
    const incomplete = CONSUMER.replace("    case 'MARKET_PAUSED':\n", '');
    expect(problemsOf({ 'api.ts': api, 'consumer.ts': incomplete })).not.toEqual([]);
  }, 120_000);
});
