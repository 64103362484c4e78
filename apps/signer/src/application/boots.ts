import { AppError } from '@agent-wallet/kernel';
import type { BootStore, RecordedBoot } from '../ports/boot-store.js';
import type { Attest } from './attest.js';

/** Attestations of boots: of this one, and of those before. */
export class Boots {
  constructor(
    readonly current: Attest,
    private readonly store: BootStore,
  ) {}

  /**
   * Returns the record of a boot, to trace what it countersigned.
   * @param ephemeralKey the boot's public key
   * @throws AppError NOT_FOUND, SERVICE_UNAVAILABLE
   */
  async find(ephemeralKey: Uint8Array): Promise<RecordedBoot> {
    const boot = await this.store.find(ephemeralKey);
    if (!boot)
      throw new AppError('NOT_FOUND', { message: 'No boot of this signer has that key.', data: { resource: 'boot' } });
    return boot;
  }
}
