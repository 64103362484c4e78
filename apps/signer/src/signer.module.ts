import type { Clock } from '@agent-wallet/kernel';
import type { MessageLimits } from '@agent-wallet/solana/checks';
import type { DynamicModule } from '@nestjs/common';
import type { Attest } from './application/attest.js';
import { ATTESTING, type Attesting } from './application/attesting.js';
import { CreateKey } from './application/create-key.js';
import { FindBoot } from './application/find-boot.js';
import { Sign } from './application/sign.js';
import { SignCheckpoints } from './application/sign-checkpoints.js';
import { SignerController } from './grpc/signer.controller.js';
import { KeysModule, type KeysParts } from './keys.module.js';
import type { BootStore } from './ports/boot-store.js';
import type { PermitKeys } from './ports/permit-keys.js';

/** What the use cases work with, opened by the start. */
export interface SignerParts {
  readonly keys: KeysParts;
  readonly permitKeys: PermitKeys;
  readonly limits: MessageLimits;
  readonly clock: Clock;
  readonly attest: Attest;
  readonly boots: BootStore;
}

/** Binds the use cases to their gRPC surface. */
export class SignerModule {
  static with({ keys, permitKeys, limits, clock, attest, boots }: SignerParts): DynamicModule {
    const signing = new Sign({ opened: keys.ring.opened, permitKeys, limits, clock, bootKey: attest.boot.key });
    return {
      module: SignerModule,
      imports: [KeysModule.with(keys)],
      controllers: [SignerController],
      providers: [
        { provide: CreateKey, useValue: new CreateKey(keys.ring) },
        { provide: Sign, useValue: signing },
        { provide: SignCheckpoints, useValue: new SignCheckpoints(keys.ring, clock) },
        { provide: ATTESTING, useValue: { attest, findBoot: new FindBoot(boots) } satisfies Attesting },
      ],
    };
  }
}
