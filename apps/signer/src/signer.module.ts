import type { Clock } from '@agent-wallet/kernel';
import type { MessageLimits } from '@agent-wallet/solana/checks';
import type { DynamicModule } from '@nestjs/common';
import { CreateKey } from './application/create-key.js';
import type { OpenedKeys } from './application/opened-keys.js';
import { Sign } from './application/sign.js';
import type { DataKey } from './domain/sealed-key.js';
import { SignerController } from './grpc/signer.controller.js';
import type { KeyStore } from './ports/key-store.js';
import type { PermitKeys } from './ports/permit-keys.js';

/** What the use cases work with, opened by the start. */
export interface SignerParts {
  readonly store: KeyStore;
  readonly opened: OpenedKeys;
  readonly dataKey: DataKey;
  readonly permitKeys: PermitKeys;
  readonly limits: MessageLimits;
  readonly clock: Clock;
}

/** Binds the use cases to their gRPC surface. */
export class SignerModule {
  static with({ store, opened, dataKey, permitKeys, limits, clock }: SignerParts): DynamicModule {
    return {
      module: SignerModule,
      controllers: [SignerController],
      providers: [
        { provide: CreateKey, useValue: new CreateKey(store, opened, dataKey) },
        { provide: Sign, useValue: new Sign(opened, permitKeys, limits, clock) },
      ],
    };
  }
}
