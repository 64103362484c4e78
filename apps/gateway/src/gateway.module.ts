import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import type { GatewayDependencies } from './dependencies.js';
import { Admission, AdmissionGuard } from './http/admission.js';
import { EnvelopeInterceptor } from './http/envelope.js';
import { ErrorFilter } from './http/error-filter.js';
import { OwnerAdmission } from './http/owners/owner-admission.js';
import { API_SERVICES, RoutesController } from './http/routes-controller.js';

/** Serves the routes of the public API. */
@Module({})
export class GatewayModule {
  static with(dependencies: GatewayDependencies): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [RoutesController],
      providers: [
        { provide: API_SERVICES, useValue: dependencies },
        { provide: Admission, useValue: dependencies.admission },
        { provide: OwnerAdmission, useValue: dependencies.ownerAdmission },
        { provide: APP_GUARD, useClass: AdmissionGuard },
        { provide: APP_INTERCEPTOR, useValue: new EnvelopeInterceptor(dependencies.clock) },
        { provide: APP_FILTER, useValue: new ErrorFilter(dependencies.logger, dependencies.clock) },
      ],
    };
  }
}
