import type { Clock } from '@agent-wallet/kernel';
import type { MessageLimits } from '@agent-wallet/solana/checks';
import type { DynamicModule } from '@nestjs/common';
import { CreateKey } from './application/create-key.js';
import type { KeyRing } from './application/ensure-key.js';
import { Sign } from './application/sign.js';
import { SignCheckpoints } from './application/sign-checkpoints.js';
import { SignerController } from './grpc/signer.controller.js';
import type { PermitKeys } from './ports/permit-keys.js';

/** What the use cases work with, opened by the start. */
export interface SignerParts {
  readonly keys: KeyRing;
  readonly permitKeys: PermitKeys;
  readonly limits: MessageLimits;
  readonly clock: Clock;
}

/** Binds the use cases to their gRPC surface. */
export class SignerModule {
  static with({ keys, permitKeys, limits, clock }: SignerParts): DynamicModule {
    return {
      module: SignerModule,
      controllers: [SignerController],
      providers: [
        { provide: CreateKey, useValue: new CreateKey(keys) },
        { provide: Sign, useValue: new Sign(keys.opened, permitKeys, limits, clock) },
        { provide: SignCheckpoints, useValue: new SignCheckpoints(keys, clock) },
      ],
    };
  }
}
