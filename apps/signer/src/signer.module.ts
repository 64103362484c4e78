import type { DynamicModule } from '@nestjs/common';
import { Boots } from './application/boots.js';
import { CreateKey } from './application/create-key.js';
import { DataKeys } from './application/data-keys.js';
import { DescribeKeys } from './application/describe-keys.js';
import { RetireDataKeys } from './application/retire-data-keys.js';
import { RewrapKeys } from './application/rewrap-keys.js';
import { Sign } from './application/sign.js';
import { SignCheckpoints } from './application/sign-checkpoints.js';
import type { SignerDependencies } from './dependencies.js';
import { KeysController } from './grpc/keys.controller.js';
import { SignerController } from './grpc/signer.controller.js';

/** Binds the use cases to their gRPC surface. */
export class SignerModule {
  static with(dependencies: SignerDependencies): DynamicModule {
    const { keys, dataKeyStore, replicas, boots, vault, permitKeys, limits, clock, attest } = dependencies;
    const { dataKeys, opened, store } = keys;
    const signing = new Sign({ opened, permitKeys: permitKeys.keys, limits, clock, bootKey: attest.boot.key });
    return {
      module: SignerModule,
      controllers: [SignerController, KeysController],
      providers: [
        { provide: Sign, useValue: signing },
        { provide: CreateKey, useValue: new CreateKey(keys) },
        { provide: SignCheckpoints, useValue: new SignCheckpoints(keys, clock) },
        { provide: Boots, useValue: new Boots(attest, boots) },
        { provide: DataKeys, useValue: dataKeys },
        { provide: DescribeKeys, useValue: new DescribeKeys(dataKeyStore, replicas, vault) },
        { provide: RewrapKeys, useValue: new RewrapKeys({ dataKeys, dataKeyStore, store, replicas }) },
        { provide: RetireDataKeys, useValue: new RetireDataKeys(dataKeyStore, dataKeys) },
      ],
    };
  }
}
