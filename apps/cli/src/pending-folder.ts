import type { PendingRequest } from '@agent-wallet/sdk';
import { FileStore } from '@agent-wallet/sdk/node';
import { HomeError } from './exit-codes.js';
import type { Streams } from './output.js';

/** Keeps open requests in a folder. A request whose result could not be written to stdout stays open. */
export class PendingFolder extends FileStore {
  constructor(
    private readonly path: string,
    private readonly written: Streams['written'],
  ) {
    super(path);
  }

  /** @throws HomeError */
  override async list(): Promise<readonly PendingRequest[]> {
    return super.list().catch(this.#toHomeError('read'));
  }

  /** @throws HomeError */
  override async save(request: PendingRequest): Promise<void> {
    await super.save(request).catch(this.#toHomeError('stored'));
  }

  /** @throws HomeError, or why the result is not written */
  override async remove(key: string): Promise<void> {
    const failure = await this.written();
    if (failure) throw failure;
    await super.remove(key).catch(this.#toHomeError('removed'));
  }

  #toHomeError(verb: string): (cause: unknown) => never {
    return (cause) => {
      const message = `Open requests in ${this.path} could not be ${verb}: ${(cause as Error).message}. Nothing was sent.`;
      throw new HomeError(message, { cause });
    };
  }
}
