import { exactNumber, writeBody } from './amounts.js';
import { ApiError, NoAnswerError, OutcomeUnknownError, StillOpenError } from './errors.js';
import { type ActionName, type ToolName, type ToolRecord, TOOLS } from './generated/tools.js';
import { type AgentWallet, type AnyRequest, pathOf } from './wallet.js';

export type { ActionName, ToolName };

/** A tool that a language model can call. */
export interface WalletTool extends Pick<ToolRecord, 'description' | 'parameters' | 'movesMoney'> {
  readonly name: ToolName;
  /**
   * Calls the API, and waits for the end of what moves money. Resolves to JSON text for the model: the data of the answer,
   * or `error` with what it means and what to do. It throws nothing that a model could cause.
   */
  readonly run: (input: unknown) => Promise<string>;
}

/** Settings of tools. */
export interface WalletToolOptions {
  /** The tools to give; all when omitted. */
  readonly only?: readonly ToolName[];
  /** Whether to leave out what moves money. */
  readonly isReadOnly?: boolean;
  /** Longest wait for the end of an operation, in milliseconds: one minute when omitted. */
  readonly waitMs?: number;
}

type Input = Readonly<Record<string, unknown>>;

/**
 * Lists the tools of a wallet for a model. Each call of a tool that moves money is one payment, also where the connection
 * breaks. A call goes on with an earlier equal one whose end was not seen; two at the same time are two payments.
 */
export function walletTools(wallet: AgentWallet, options: WalletToolOptions = {}): readonly WalletTool[] {
  const { only, isReadOnly = false, waitMs = 60_000 } = options;
  const unknown = only?.find((name) => !TOOLS.some((record) => record.name === name));
  if (unknown !== undefined) throw new TypeError(`No tool has the name ${unknown}`);
  return TOOLS.filter((record) => !(isReadOnly && record.movesMoney) && (only?.includes(record.name) ?? true)).map(
    (record) => ({
      name: record.name,
      description: record.description,
      parameters: record.parameters,
      movesMoney: record.movesMoney,
      run: async (input) => JSON.stringify(await resultOf(wallet, prepared(record, input), waitMs)),
    }),
  );
}

interface Prepared {
  readonly request: AnyRequest;
  readonly isPayment: boolean;
}

/** Makes the request of a tool's input, or says what is wrong with it. */
function prepared(record: ToolRecord, input: unknown): Prepared | string {
  try {
    return requestOf(record, checked(record, input));
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    if (error instanceof RangeError) return 'The input is too deep.';
    throw error;
  }
}

function requestOf(record: ToolRecord, given: Input): Prepared {
  const { method, path, movesMoney } = record;
  const isInPath = (name: string) => path.includes(`{${name}}`);
  const isInQuery = (name: string) => record.query.includes(name);
  const params = part(given, isInPath) as Readonly<Record<string, string>>;
  pathOf(path, params);
  const body = part(given, (name) => !isInPath(name) && !isInQuery(name));
  return {
    request: {
      ...{ method, path, params, query: part(given, isInQuery) },
      ...(method === 'POST' ? { body: bodyOf(record, body) } : {}),
    },
    isPayment: movesMoney && given['dryRun'] !== true,
  };
}

/** Takes an object of the tool's fields with all that it needs. @throws TypeError */
function checked({ parameters }: ToolRecord, input: unknown): Input {
  if (typeof (input ?? {}) !== 'object' || Array.isArray(input)) throw new TypeError('The input must be an object.');
  const given = Object.fromEntries(
    Object.entries(input ?? {}).filter(([, value]) => value !== undefined && value !== null),
  );
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(parameters.properties, name));
  if (unknown !== undefined) throw new TypeError(`The tool has no field ${unknown}.`);
  const missing = parameters.required.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) throw new TypeError(`${missing} is required.`);
  // `'true'` for a dry run would otherwise be a payment.
  const unclear = Object.keys(given).find(
    (name) => parameters.properties[name]?.['type'] === 'boolean' && typeof given[name] !== 'boolean',
  );
  if (unclear !== undefined) throw new TypeError(`${unclear} must be true or false.`);
  return given;
}

function bodyOf({ exact }: ToolRecord, fields: Input): string {
  const amounts = exact
    .filter((name) => name in fields)
    .map((name) => [name, exactNumber(fields[name] as string, name)]);
  return writeBody({ ...fields, ...Object.fromEntries(amounts) });
}

/** Sends a request. @returns what the model reads @throws what no call of a model could cause */
async function resultOf(wallet: AgentWallet, prepared: Prepared | string, waitMs: number): Promise<unknown> {
  if (typeof prepared === 'string') return { error: { code: 'VALIDATION_ERROR', message: prepared } };
  const { request, isPayment } = prepared;
  try {
    return await (isPayment ? wallet.act(request, { waitMs }) : wallet.call(request));
  } catch (error) {
    if (error instanceof ApiError) return { error: { ...error.data, message: error.message } };
    if (error instanceof StillOpenError) return { ...error.accepted, next: NEXT_STILL_OPEN };
    if (error instanceof OutcomeUnknownError) return { ...error.operation, next: NEXT_UNKNOWN };
    if (error instanceof NoAnswerError) return { error: { code: 'NO_ANSWER', message: error.message } };
    throw error;
  }
}

const NEXT_STILL_OPEN =
  'It is not over, and may still move money. Ask get_transaction later, or call the tool again with the same input: that continues it.';
const NEXT_UNKNOWN =
  'The outcome is not known yet. Call the tool again with the same input: that continues it and pays nothing twice.';

function part(input: Input, belongs: (name: string) => boolean): Input {
  return Object.fromEntries(Object.entries(input).filter(([name]) => belongs(name)));
}
