import type { Clock } from '@agent-wallet/kernel';
import type { Outbox } from '@agent-wallet/events';
import type { Database, Logger, TlsIdentity } from '@agent-wallet/platform';
import type { JwtService } from '@nestjs/jwt';
import type { Clients } from './adapters/grpc/clients.js';
import type { KeyFolder } from './adapters/jwt/key-folder.js';
import { PrismaPg } from '@prisma/adapter-pg';
import { createTokenSigner } from './adapters/jwt/token-signer.js';
import {
  catalogService,
  historyService,
  policyService,
  predictionService,
  swapService,
  walletService,
} from './adapters/grpc/services.js';
import { ClaimKeeper } from './adapters/postgres/claim-keeper.js';
import { PostgresPasscodeStore } from './adapters/postgres/passcode-store.js';
import { query } from './adapters/postgres/query.js';
import { PostgresRateLimiter } from './adapters/postgres/rate-limiter.js';
import { PostgresRequestStore } from './adapters/postgres/request-store.js';
import { PostgresSessionStore } from './adapters/postgres/session-store.js';
import { CompleteLogin } from './application/connect/complete-login.js';
import { RefreshSession } from './application/connect/refresh-session.js';
import { StartLogin } from './application/connect/start-login.js';
import { RevokeSessions } from './application/operator/revoke-sessions.js';
import { BuyOperation } from './application/operations/buy-operation.js';
import { PreviewOperation } from './application/operations/preview-operation.js';
import { ResolveOpenRequests } from './application/operations/resolve-open-requests.js';
import { RunOperation } from './application/operations/run-operation.js';
import { SellOperation } from './application/operations/sell-operation.js';
import { TradeOperation } from './application/operations/trade-operation.js';
import { TransferOperation } from './application/operations/transfer-operation.js';
import { UnwrapOperation } from './application/operations/unwrap-operation.js';
import { WithdrawOperation } from './application/operations/withdraw-operation.js';
import { ReadTransaction } from './application/read/read-transaction.js';
import { PrismaClient } from './generated/prisma/client.js';
import { Admission } from './http/admission.js';
import type { ActionKinds } from './http/controllers/actions-controller.js';
import { BearerTokens } from './http/bearer-token.js';
import type { Documents } from './http/docs/documents.js';
import type { Mailer } from './ports/mailer.js';
import type { PolicyService } from './ports/policy-service.js';
import type { PredictionService } from './ports/prediction-service.js';
import type { SwapService } from './ports/swap-service.js';
import type { WalletService } from './ports/wallet-service.js';
import { FinancialRequests } from './http/financial-requests.js';
import { Readiness } from './http/readiness.js';
import type { GatewaySettings } from './settings.js';

/** What was opened at the start. */
export interface Opened {
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keys: KeyFolder;
  readonly tls: TlsIdentity;
  readonly database: Database;
  readonly clients: Clients;
  readonly mailer: Mailer;
  readonly outbox: Outbox;
  readonly jwt: JwtService;
  /** In place of the service over gRPC. */
  readonly policy?: PolicyService | undefined;
}

/** Puts the parts together: which adapter stands behind which port. */
export function makeParts(opened: Opened) {
  const { settings, clock, logger, keys, database, clients, mailer, outbox, jwt } = opened;
  const limits = settings.rateLimits;
  const pepper = settings.otpPepper;
  const prisma = new PrismaClient({ adapter: new PrismaPg(database.pool, { schema: database.schema }) });
  const explorerUrl = (signature: string) => settings.explorerUrlTemplate.replaceAll('{signature}', signature);

  const keeper = new ClaimKeeper(database.pool, clock, logger);
  const requests = new PostgresRequestStore(database, keeper, clock);
  const sessions = new PostgresSessionStore(database, prisma, outbox, clock);
  const passcodes = new PostgresPasscodeStore(database, prisma, limits, clock);
  const tokens = createTokenSigner(jwt, keys, settings.jwt);
  const [wallet, swap] = [walletService(clients), swapService(clients)];
  const [prediction, catalog] = [predictionService(clients), catalogService(clients)];
  const [policy, history] = [opened.policy ?? policyService(clients), historyService(clients)];
  const kinds = kindsOf({ wallet, swap, prediction }, explorerUrl);

  const bearers = new BearerTokens(keys, jwt, settings.jwt, clock);
  const admission = new Admission(new PostgresRateLimiter(database.pool, limits, clock), bearers);
  const databaseAnswers = () => query(database.pool, { name: 'reachable', text: 'select 1', values: [] });
  const services = [wallet, swap, prediction, policy, history].map((service) => () => service.reach());
  const readiness = new Readiness([databaseAnswers, ...services]);
  const resolver = new ResolveOpenRequests({ requests, history, kinds: Object.values(kinds), logger });
  const documents: { current?: Documents } = {};
  const parts = {
    startLogin: new StartLogin({ passcodes, mailer, pepper, clock }),
    completeLogin: new CompleteLogin({ passcodes, sessions, wallet, policy, tokens, pepper, clock }),
    refreshSession: new RefreshSession({ sessions, policy, tokens, clock }),
    sessions,
    wallet,
    catalog,
    prediction,
    policy,
    history,
    readTransaction: new ReadTransaction(history, requests),
    financialRequests: new FinancialRequests(
      new RunOperation({ requests, history, logger, explorerUrl }),
      new PreviewOperation(policy),
    ),
    kinds,
    admission,
    documents,
    tokenKeys: keys,
    readiness,
    errors: { logger, clock },
  };
  return { parts, admission, readiness, resolver, keeper, revokeSessions: new RevokeSessions(sessions) };
}

/** Every kind of financial operation, with the service that does it. */
function kindsOf(
  services: { readonly wallet: WalletService; readonly swap: SwapService; readonly prediction: PredictionService },
  explorerUrl: (signature: string) => string,
): ActionKinds {
  const { wallet, swap, prediction } = services;
  return {
    transfer: new TransferOperation(wallet, explorerUrl),
    unwrap: new UnwrapOperation(wallet, explorerUrl),
    trade: new TradeOperation(swap, explorerUrl),
    buy: new BuyOperation(prediction, explorerUrl),
    sell: new SellOperation(prediction, explorerUrl),
    withdraw: new WithdrawOperation(prediction, explorerUrl),
  };
}
