import type { DynamicModule } from '@nestjs/common';
import type { Beat } from './application/beat.js';
import { DataKeys } from './application/data-keys.js';
import { DescribeKeys } from './application/describe-keys.js';
import type { KeyRing } from './application/ensure-key.js';
import { RetireDataKeys } from './application/retire-data-keys.js';
import { RewrapKeys } from './application/rewrap-keys.js';
import { KeysController } from './grpc/keys.controller.js';
import type { DataKeyStore } from './ports/data-key-store.js';
import type { Replicas } from './ports/replicas.js';
import type { Vault } from './ports/vault.js';

/** What looking after data keys works with, opened by the start. */
export interface KeysParts {
  readonly ring: KeyRing;
  readonly dataKeyStore: DataKeyStore;
  readonly replicas: Replicas;
  readonly vault: Vault;
  readonly beat: Beat;
  /** Lets go of the vaults. */
  close(): Promise<void>;
}

/** Binds what operators do with data keys to its gRPC surface. */
export class KeysModule {
  static with({ ring, dataKeyStore, replicas, vault }: KeysParts): DynamicModule {
    const { dataKeys, store } = ring;
    return {
      module: KeysModule,
      controllers: [KeysController],
      providers: [
        { provide: DataKeys, useValue: dataKeys },
        { provide: DescribeKeys, useValue: new DescribeKeys(dataKeyStore, replicas, vault) },
        { provide: RewrapKeys, useValue: new RewrapKeys({ dataKeys, dataKeyStore, store, replicas }) },
        { provide: RetireDataKeys, useValue: new RetireDataKeys(dataKeyStore, dataKeys) },
      ],
    };
  }
}
