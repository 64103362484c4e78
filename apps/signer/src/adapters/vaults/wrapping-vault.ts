import { type Evidence, type Vault, type VaultDescription, VaultError } from '../../ports/vault.js';
import { unwrap, wrap } from './wrapping-key.js';

/** A vault that seals under a key which lives elsewhere: it is asked for at each use, and wiped after it. */
export abstract class WrappingVault implements Vault {
  /** Says which vault sealed: what one seals opens in no other. */
  protected abstract readonly label: string;
  /** Error message when another key sealed, with the action to take. */
  protected abstract readonly otherKey: string;

  /** @param use only a first sealing makes a key where there is none @throws VaultError */
  protected abstract wrappingKey(use: 'seal' | 'unseal'): Promise<Buffer>;
  abstract evidence(binding: Uint8Array): Promise<Evidence>;
  abstract describe(): VaultDescription;

  async seal(secret: Uint8Array): Promise<Buffer> {
    const key = await this.wrappingKey('seal');
    try {
      return wrap(key, secret, this.label);
    } finally {
      key.fill(0);
    }
  }

  async unseal(sealed: Uint8Array): Promise<Buffer> {
    const key = await this.wrappingKey('unseal');
    try {
      return unwrap(key, sealed, this.label);
    } catch (cause) {
      throw new VaultError(this.otherKey, { cause });
    } finally {
      key.fill(0);
    }
  }
}
