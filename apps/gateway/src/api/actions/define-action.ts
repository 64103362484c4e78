import type { operationsV1, walletV1 } from '@agent-wallet/contracts';
import type { ErrorCode, TokenScope } from '@agent-wallet/kernel';
import { z } from 'zod';
import {
  type Action,
  type Answered,
  type Commanded,
  type ExplorerUrl,
  operationOf,
  type OperationCall,
} from '../../application/operations/operation.js';
import { type ExactJson, integerNumber } from '../../application/responses/exact-json.js';
import type { OperationInput } from '../../ports/idempotency-store.js';
import { type PredictionService, required, type SwapService, type WalletService } from '../../ports/services.js';
import { commandOf } from '../call.js';
import {
  type AnyTransactionKind,
  type FactName,
  type FactsNamed,
  pick,
  type Shown,
  type TransactionKind,
} from '../history/transaction-kind.js';
import { defineRoute, type Route, type RouteContract } from '../route.js';
import { composed } from '../schemas/composed.js';
import { EXPLORER_URL, ID, SIGNATURE } from '../schemas/examples.js';
import { queryFlag } from '../schemas/fields.js';
import { acceptedRecord, confirmed, dryRunRecord, financialResponse } from './outcome-records.js';

/** The services that carry out actions. */
export interface ActionServices {
  readonly wallet: WalletService;
  readonly swap: SwapService;
  readonly prediction: PredictionService;
}

/** The identity of an operation and the time it has, beside the request itself. */
type Call = Omit<OperationCall, 'deadlineMs'>;

/** The fields of several records together. */
type Together<Parts> = Parts extends readonly [infer First extends z.ZodObject, ...infer Rest]
  ? z.input<First> & Together<Rest>
  : unknown;

/** Fields that the request alone states, for history before its record is there. */
export interface Requested<Name extends FactName = FactName> {
  /** Symbol or mint, as the request named it. */
  readonly asset: string;
  /** Decimal text in the asset's standard unit; undefined where the request names none. */
  readonly amount?: string | undefined;
  /** Base units; undefined where the request names none. */
  readonly amountRaw?: string | undefined;
  /** The recipient, where there is one. */
  readonly to?: string | undefined;
  /** Facts without what only the service can find out. */
  readonly facts: FactsNamed<Name>;
}

/** The answer of an action's service. */
interface Reply<Name extends FactName> extends Answered {
  readonly facts?: FactsNamed<Name> | undefined;
  readonly networkFeeLamports?: bigint;
}

/**
 * One action of the public API that moves money. Its route with dry run, replay and 202, its operation, and its record of
 * history derive from it.
 */
export interface ActionDefinition<
  Body extends z.ZodObject,
  Terms extends readonly z.ZodObject[],
  Metadata extends z.ZodObject,
  Name extends FactName,
  Request,
  Answer extends Reply<Name>,
> extends TransactionKind<Metadata, Name> {
  readonly route: Pick<RouteContract, 'id' | 'part' | 'path' | 'area' | 'summary' | 'notes' | 'bodyOptional'> & {
    readonly scope: TokenScope;
  };
  /** Codes beyond those of every action. */
  readonly errors: readonly ErrorCode[];
  /** The service that owns its operations. */
  readonly service: keyof ActionServices;
  /** Fields of the request's body. */
  readonly body: Body;
  /** Records, each with a name, of what is known before it is done and shown by a result and a dry run alike. */
  readonly terms: Terms;
  /** Parts of a result beside the terms; `Confirmed` when omitted. */
  readonly result?: { readonly parts?: readonly z.ZodObject[]; readonly own?: z.ZodRawShape };
  /** Sentence of the response, or what gives it of what was done. */
  readonly message: string | ((facts: FactsNamed<Name>) => string);
  readonly example: ActionExample<z.input<Body>, Together<Terms>>;

  /** Returns the service's request, of the real operation and of its dry run. */
  toRequest(command: Commanded<z.output<Body> & OperationInput>): Request;
  /** Carries the operation out, or says what became of it. */
  perform(services: ActionServices, request: Request & Call, deadlineMs: number): Promise<Answer>;
  /** Evaluates it without effect; undefined where the action has no dry run. */
  dryRun?(services: ActionServices, request: Request): Promise<DryRunReply<Answer>>;
  show(facts: FactsNamed<Name>): Shown<Together<Terms> & Metadata['shape']>;
  /** Returns the fields of a result beside the terms; those of `Confirmed` when omitted. */
  toOutcome?(reply: Answer, transactionId: string, explorerUrl: ExplorerUrl): Readonly<Record<string, ExactJson>>;
  requested(input: z.output<Body>): Requested<Name>;
}

/** The answer to a dry run. */
interface DryRunReply<Answer> {
  readonly reply?: Answer | undefined;
  readonly dryRun?: walletV1.DryRun | undefined;
}

/** An example request, and what it comes to. */
interface ActionExample<Body, Terms> {
  readonly request: Body;
  readonly terms: Terms;
  /** Fields of the result beside the terms; those of `Confirmed` when omitted. */
  readonly outcome?: object;
  readonly dryRun?: {
    /** Terms that differ from those of the result. */
    readonly terms?: Partial<Terms>;
    readonly policy: Partial<z.input<typeof dryRunRecord>['policy']>;
    readonly balanceChanges: z.input<typeof dryRunRecord>['balanceChanges'];
  };
}

/** An action, and what derives from its definition. */
export interface DefinedAction extends AnyTransactionKind {
  readonly route: Route;
  readonly result: z.ZodObject;
  /** Undefined where the action has no dry run. */
  readonly dryRunResult: z.ZodObject | undefined;
  /** Returns the action as its operations are run. */
  bind(services: ActionServices, explorerUrl: ExplorerUrl): Action;
  requested(
    input: OperationInput,
  ): Omit<Requested, 'facts'> & { readonly facts: operationsV1.OperationFacts['action'] };
}

/** Codes that every action can give. */
const OPERATION_ERRORS: readonly ErrorCode[] = [
  'POLICY_VIOLATION',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
  'TRANSACTION_EXPIRED',
];

/** Codes of an action that may wait for the owner. */
export const APPROVAL_ERRORS = ['APPROVAL_REJECTED', 'APPROVAL_EXPIRED'] as const;

/** Returns the flag that turns a financial request into a dry run. */
const dryRunField = () =>
  queryFlag(
    '`true` answers what the request would come to, and does nothing: no reservation, no signature, no record, and ' +
      'an idempotency key is ignored. A refusal by policy is then `policy.allowed: false`.',
  );

/** Defines an action, and derives what the API and history show of it. */
export function defineAction<
  Body extends z.ZodObject,
  const Terms extends readonly z.ZodObject[],
  Metadata extends z.ZodObject,
  const Name extends FactName,
  Request extends object,
  Answer extends Reply<Name>,
>(definition: ActionDefinition<Body, Terms, Metadata, Name, Request, Answer>): DefinedAction {
  const { component, terms, errors, body } = definition;
  const { parts = [confirmed], own } = definition.result ?? {};
  const result: z.ZodObject = composed(`${component}Result`, [...terms, ...parts], own);
  const dryRunResult = definition.dryRun && composed(`${component}DryRun`, [...terms, dryRunRecord]);
  const outcome = z
    .discriminatedUnion('transactionStatus', [result, ...(dryRunResult ? [dryRunResult] : [])] as never)
    .meta({ id: `${component}Outcome` });
  const request = body.meta({ id: `${component}Request` });
  const bind = (services: ActionServices, explorerUrl: ExplorerUrl) => boundAction(definition, services, explorerUrl);
  const route = defineRoute(
    {
      ...definition.route,
      tool: true,
      method: 'POST',
      auth: 'bearer',
      ...(dryRunResult ? { query: z.strictObject({ dryRun: dryRunField() }) } : {}),
      body: (definition.route.bodyOptional ? request.optional() : request) as z.ZodType<OperationInput>,
      response: financialResponse(component, result, outcome),
      accepted: acceptedRecord,
      idempotent: true,
      errors: [...OPERATION_ERRORS, ...errors],
      example: exampleOf(definition.example) as { readonly response: object },
    } as const,
    (call, { runOperation, services, explorerUrl }) => runOperation.run(bind(services, explorerUrl), commandOf(call)),
  );
  const requested = (input: OperationInput) => {
    const { facts: value, ...known } = definition.requested(input as z.output<Body>);
    return { ...known, facts: { $case: definition.facts, value } as operationsV1.OperationFacts['action'] };
  };
  return { ...definition, route, result, dryRunResult, bind, requested };
}

/** Binds an action to the services that carry out its operations. */
function boundAction<
  Body extends z.ZodObject,
  Terms extends readonly z.ZodObject[],
  Metadata extends z.ZodObject,
  Name extends FactName,
  Request extends object,
  Answer extends Reply<Name>,
>(
  definition: ActionDefinition<Body, Terms, Metadata, Name, Request, Answer>,
  services: ActionServices,
  explorerUrl: ExplorerUrl,
): Action {
  const { action, service, message } = definition;
  const messageOf = ({ facts }: Answer): string =>
    typeof message === 'string' ? message : message(required(facts, 'facts'));
  const termsOf = ({ facts, networkFeeLamports = 0n }: Answer): Record<string, ExactJson> => {
    const known = {
      networkFeeLamports: integerNumber(networkFeeLamports),
      ...definition.show(required(facts, 'facts')),
    };
    return Object.fromEntries(definition.terms.flatMap((record) => Object.entries(pick(record, known))));
  };
  return {
    name: action,
    assertReachable: () => services[service].assertReachable(),
    async perform(command, { deadlineMs, ...call }) {
      const request = { ...definition.toRequest(command as never), ...call };
      const reply = await definition.perform(services, request, deadlineMs);
      const data = () => ({
        ...(definition.toOutcome ?? confirmedFields)(reply, call.operationId, explorerUrl),
        ...termsOf(reply),
      });
      return operationOf(reply, { message: () => messageOf(reply), data });
    },
    async dryRun(command) {
      const { reply, dryRun } = required(
        await definition.dryRun?.(services, definition.toRequest(command as never)),
        'a dry run',
      );
      return { data: termsOf(required(reply, 'terms')), dryRun: required(dryRun, 'dryRun') };
    },
  };
}

/** Returns the values of `Confirmed`. */
export function confirmedFields({ signature }: Answered, transactionId: string, explorerUrl: ExplorerUrl) {
  const status = 'confirmed';
  return { transactionId, status, transactionStatus: status, signature, explorerUrl: explorerUrl(signature) };
}

const LANDED = confirmedFields({ state: 2, signature: SIGNATURE }, ID, () => EXPLORER_URL);

const NOT_DONE = {
  transactionId: null,
  status: 'dry_run',
  transactionStatus: 'dry_run',
  signature: null,
  explorerUrl: null,
};

const ALLOWED: z.input<typeof dryRunRecord>['policy'] = {
  allowed: true,
  rule: null,
  limitUsd: null,
  usedUsd: 0,
  reservedUsd: 0,
  remainingUsd: 500,
  requestedUsd: 0,
  maxAllowedNowUsd: 100,
  maxAmountNow: null,
  maxAmountNowRaw: null,
  resetsAt: null,
  approvalRequired: false,
  approvalReasons: [],
  trade: null,
};

function exampleOf<Terms>({ request, terms, outcome = LANDED, dryRun }: ActionExample<unknown, Terms>) {
  if (!dryRun) return { request, response: { ...outcome, ...terms } };
  const { policy, balanceChanges } = dryRun;
  return {
    request,
    response: { ...outcome, ...terms },
    dryRun: {
      ...NOT_DONE,
      ...terms,
      ...dryRun.terms,
      policy: { ...ALLOWED, ...policy },
      networkFeeLamports: 5_000,
      sponsored: false,
      balanceChanges,
    },
  };
}
