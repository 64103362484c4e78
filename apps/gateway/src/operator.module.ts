import { type DynamicModule, Module } from '@nestjs/common';
import { RevokeSessions } from './application/operator/revoke-sessions.js';
import { OperatorController } from './grpc/operator.controller.js';

/** Binds the operators' gRPC surface to its use case. */
@Module({})
export class OperatorModule {
  static with(revokeSessions: RevokeSessions): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [OperatorController],
      providers: [{ provide: RevokeSessions, useValue: revokeSessions }],
    };
  }
}
