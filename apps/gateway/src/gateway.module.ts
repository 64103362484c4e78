import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { AdmissionGuard } from './http/admission-guard.js';
import { ActionsController } from './http/controllers/actions-controller.js';
import { AttestationController } from './http/controllers/attestation-controller.js';
import { CatalogController } from './http/controllers/catalog-controller.js';
import { ConnectController } from './http/controllers/connect-controller.js';
import { HappeningsController } from './http/controllers/happenings-controller.js';
import { PolicyController } from './http/controllers/policy-controller.js';
import { PredictionsController } from './http/controllers/predictions-controller.js';
import { ServiceController } from './http/controllers/service-controller.js';
import { WalletController } from './http/controllers/wallet-controller.js';
import { EnvelopeInterceptor } from './http/envelope-interceptor.js';
import { ErrorFilter } from './http/error-filter.js';
import { TOKENS } from './http/tokens.js';

/** What the controllers are given, by the names of TOKENS. */
export type Parts = { readonly [Name in keyof typeof TOKENS]: unknown };

const CONTROLLERS = [
  ConnectController,
  WalletController,
  ActionsController,
  CatalogController,
  HappeningsController,
  PredictionsController,
  PolicyController,
  AttestationController,
  ServiceController,
];

/** Binds the REST edge to the parts that start-gateway.ts made. */
@Module({})
export class GatewayModule {
  static with(parts: Parts): DynamicModule {
    const bound: Provider[] = Object.entries(TOKENS).map(([name, token]) => ({
      provide: token,
      useValue: parts[name as keyof Parts],
    }));
    return {
      module: GatewayModule,
      controllers: CONTROLLERS,
      providers: [
        ...bound,
        { provide: APP_GUARD, useClass: AdmissionGuard },
        { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
