import type { signerV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { DataKeys } from '../application/data-keys.js';
import { DescribeKeys } from '../application/describe-keys.js';
import { RetireDataKeys } from '../application/retire-data-keys.js';
import { RewrapKeys } from '../application/rewrap-keys.js';
import { toKeysDescription, toRewrapped } from './messages.js';

/** The operators' methods on data keys, over gRPC. */
@Controller()
export class KeysController implements GrpcController<signerV1.KeyServiceService> {
  constructor(
    @Inject(DescribeKeys) private readonly description: DescribeKeys,
    @Inject(DataKeys) private readonly dataKeys: DataKeys,
    @Inject(RewrapKeys) private readonly rewrapping: RewrapKeys,
    @Inject(RetireDataKeys) private readonly retirement: RetireDataKeys,
  ) {}

  async describeKeys(): Promise<signerV1.DescribeKeysResponse> {
    return toKeysDescription(await this.description.execute());
  }

  async addDataKey(): Promise<signerV1.AddDataKeyResponse> {
    return { version: await this.dataKeys.add() };
  }

  async rewrapKeys({ max, after }: signerV1.RewrapKeysRequest): Promise<signerV1.RewrapKeysResponse> {
    return toRewrapped(await this.rewrapping.execute(max, after));
  }

  async retireDataKeys(): Promise<signerV1.RetireDataKeysResponse> {
    return { versions: [...(await this.retirement.execute())] };
  }
}
