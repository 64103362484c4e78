import { AppError } from '@agent-wallet/kernel';
import type { BootStore, RecordedBoot } from '../ports/boot-store.js';

/** Finds what was recorded of a boot, to trace what it countersigned. */
export class FindBoot {
  constructor(private readonly boots: BootStore) {}

  /** @param ephemeralKey the boot's public key. @throws AppError NOT_FOUND, SERVICE_UNAVAILABLE */
  async execute(ephemeralKey: Uint8Array): Promise<RecordedBoot> {
    const boot = await this.boots.find(ephemeralKey);
    if (!boot) throw new AppError('NOT_FOUND', { message: 'No boot of this signer has that key.' });
    return boot;
  }
}
