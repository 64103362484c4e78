import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { Buy } from './application/actions/buy.js';
import { Sell } from './application/actions/sell.js';
import { Trade } from './application/actions/trade.js';
import { Transfer } from './application/actions/transfer.js';
import { Unwrap } from './application/actions/unwrap.js';
import { Withdraw } from './application/actions/withdraw.js';
import { CompleteLogin } from './application/connect/complete-login.js';
import { EndSession } from './application/connect/end-session.js';
import { EvictSessions } from './application/connect/evict-sessions.js';
import { RefreshSession } from './application/connect/refresh-session.js';
import { RevokeSessions } from './application/connect/revoke-sessions.js';
import { StartLogin } from './application/connect/start-login.js';
import { ClaimAgent } from './application/owners/claim-agent.js';
import { LogInOwner } from './application/owners/log-in-owner.js';
import { ManageOwnedAgent } from './application/owners/manage-owned-agent.js';
import { RegisterPasskey } from './application/owners/register-passkey.js';
import { VoteOnApproval } from './application/owners/vote-on-approval.js';
import { ReadTransaction } from './application/operations/read-transaction.js';
import { RunOperation } from './application/operations/run-operation.js';
import type { GatewayDependencies } from './dependencies.js';
import { OperatorController } from './grpc/operator.controller.js';
import { Admission, AdmissionGuard } from './http/admission.js';
import { ActionsController } from './http/controllers/actions-controller.js';
import { ApprovalsController } from './http/controllers/approvals-controller.js';
import { AttestationController } from './http/controllers/attestation-controller.js';
import { CatalogController } from './http/controllers/catalog-controller.js';
import { ConnectController } from './http/controllers/connect-controller.js';
import { CatalogEventsController } from './http/controllers/catalog-events-controller.js';
import { OwnedAgentsController } from './http/controllers/owned-agents-controller.js';
import { OwnerApprovalsController } from './http/controllers/owner-approvals-controller.js';
import { OwnerLoginController } from './http/controllers/owner-login-controller.js';
import { PasskeysController } from './http/controllers/passkeys-controller.js';
import { PolicyController } from './http/controllers/policy-controller.js';
import { PredictionActionsController } from './http/controllers/prediction-actions-controller.js';
import { PredictionsController } from './http/controllers/predictions-controller.js';
import { ServiceController } from './http/controllers/service-controller.js';
import { SessionsController } from './http/controllers/sessions-controller.js';
import { WalletController } from './http/controllers/wallet-controller.js';
import { Documents } from './http/docs/documents.js';
import { EnvelopeInterceptor } from './http/envelope.js';
import { ErrorFilter } from './http/error-filter.js';
import { OwnerAdmission } from './http/owners/owner-admission.js';
import { Readiness } from './http/readiness.js';
import { OwnersService } from './ports/owners-service.js';
import { CatalogService, HistoryService, PolicyService, PredictionService, WalletService } from './ports/services.js';
import { SessionStore } from './ports/session-store.js';
import { TokenKeys } from './ports/tokens.js';

const CONTROLLERS = [
  ConnectController,
  SessionsController,
  WalletController,
  ActionsController,
  CatalogController,
  CatalogEventsController,
  PredictionsController,
  PredictionActionsController,
  PolicyController,
  ApprovalsController,
  OwnerLoginController,
  PasskeysController,
  OwnerApprovalsController,
  OwnedAgentsController,
  AttestationController,
  ServiceController,
];

/** Binds the REST surface to its use cases and ports. */
@Module({})
export class GatewayModule {
  static with(dependencies: GatewayDependencies): DynamicModule {
    const { services, actions } = dependencies;
    return {
      module: GatewayModule,
      controllers: CONTROLLERS,
      providers: [
        { provide: StartLogin, useValue: dependencies.startLogin },
        { provide: CompleteLogin, useValue: dependencies.completeLogin },
        { provide: RefreshSession, useValue: dependencies.refreshSession },
        { provide: EndSession, useValue: dependencies.endSession },
        { provide: EvictSessions, useValue: dependencies.evictSessions },
        { provide: SessionStore, useValue: dependencies.sessions },
        { provide: LogInOwner, useValue: dependencies.logInOwner },
        { provide: RegisterPasskey, useValue: dependencies.registerPasskey },
        { provide: ClaimAgent, useValue: dependencies.claimAgent },
        { provide: VoteOnApproval, useValue: dependencies.voteOnApproval },
        { provide: ManageOwnedAgent, useValue: dependencies.manageOwnedAgent },
        { provide: RunOperation, useValue: dependencies.runOperation },
        { provide: Transfer, useValue: actions.transfer },
        { provide: Unwrap, useValue: actions.unwrap },
        { provide: Trade, useValue: actions.trade },
        { provide: Buy, useValue: actions.buy },
        { provide: Sell, useValue: actions.sell },
        { provide: Withdraw, useValue: actions.withdraw },
        { provide: ReadTransaction, useValue: dependencies.readTransaction },
        { provide: WalletService, useValue: services.wallet },
        { provide: PredictionService, useValue: services.prediction },
        { provide: CatalogService, useValue: services.catalog },
        { provide: PolicyService, useValue: services.policy },
        { provide: OwnersService, useValue: services.owners },
        { provide: HistoryService, useValue: services.history },
        { provide: Documents, useValue: dependencies.documents },
        { provide: TokenKeys, useValue: dependencies.tokenKeys },
        { provide: Readiness, useValue: dependencies.readiness },
        { provide: Admission, useValue: dependencies.admission },
        { provide: OwnerAdmission, useValue: dependencies.ownerAdmission },
        { provide: APP_GUARD, useClass: AdmissionGuard },
        { provide: APP_INTERCEPTOR, useValue: new EnvelopeInterceptor(dependencies.clock) },
        { provide: APP_FILTER, useValue: new ErrorFilter(dependencies.logger, dependencies.clock) },
      ],
    };
  }
}

/** Binds the operators' gRPC surface to its use case. */
@Module({})
export class OperatorModule {
  static with({ revokeSessions }: Pick<GatewayDependencies, 'revokeSessions'>): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [OperatorController],
      providers: [{ provide: RevokeSessions, useValue: revokeSessions }],
    };
  }
}
