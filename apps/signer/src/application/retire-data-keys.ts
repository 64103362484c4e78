import type { DataKeyStore } from '../ports/data-key-store.js';
import type { DataKeys } from './data-keys.js';

/** Removes data keys that nothing needs any more, with all their seals. */
export class RetireDataKeys {
  constructor(
    private readonly store: DataKeyStore,
    private readonly dataKeys: DataKeys,
  ) {}

  /** Returns the versions that were removed. @throws AppError SERVICE_UNAVAILABLE */
  async execute(): Promise<readonly number[]> {
    const retired = await this.store.retire();
    await this.dataKeys.reload();
    return retired;
  }
}
