import { randomBytes } from 'node:crypto';
import type { DataKey } from '../domain/sealed-key.js';
import type { DataKeySeal, DataKeyStore } from '../ports/data-key-store.js';
import type { Replica } from '../ports/replica-store.js';
import { type Vault, VaultError, type VaultSet } from '../ports/vault.js';
import { isSealer, openDataKey, sealBy, sealersOf } from './vault-set.js';

const FIRST_VERSION = 1;
const DATA_KEY_BYTES = 32;

/** Says that a data key does not open. */
type ReportUnopened = (version: number, error: unknown) => void;

/** The data keys that this replica has open. Replicas agree on what is stored: of several that make one, the first wins. */
export class DataKeys {
  readonly #open = new Map<number, DataKey>();
  /** Versions of open data keys under which nothing may be sealed. */
  readonly #onlyOpens = new Set<number>();
  /** Seals of data keys that did not open, as they were tried. */
  readonly #unopened = new Map<number, string>();
  /** Versions that every running replica has open. */
  #shared: readonly number[] | undefined;
  #reload: Promise<void> | undefined;

  constructor(
    private readonly store: DataKeyStore,
    private readonly vaults: VaultSet,
    private readonly report: ReportUnopened = () => undefined,
  ) {}

  /**
   * Opens what there is. Makes a data key at the very first start, and after the loss of a vault, when nothing but the
   * recovery key opens those before.
   * @throws VaultError when none opens
   */
  async open(): Promise<void> {
    let seals = await this.store.seals();
    if (seals.length === 0) {
      await this.#make(FIRST_VERSION);
      seals = await this.store.seals();
    }
    let failure: unknown = new VaultError('the data key could not be kept');
    await this.#load(seals, (_, error) => (failure = error));
    if (this.#open.size === 0) throw failure;
    if (this.#usable.length === 0) await this.add();
    if (this.#usable.length === 0) throw new VaultError('the data key that was made does not open');
  }

  /** Versions that are open here. */
  get versions(): readonly number[] {
    return [...this.#open.keys()].sort((a, b) => a - b);
  }

  /** Data key for new keys: the newest that all replicas open, so that each can sign with them. */
  get newest(): DataKey {
    const usable = this.#usable;
    const shared = usable.filter((version) => this.#shared?.includes(version) ?? true);
    return this.#open.get(Math.max(...(shared.length > 0 ? shared : usable)))!;
  }

  get #usable(): readonly number[] {
    return this.versions.filter((version) => !this.#onlyOpens.has(version));
  }

  /** Notes which replicas are up. */
  noteReplicas(replicas: readonly Replica[]): void {
    this.#shared = this.versions.filter((version) => replicas.every(({ versions }) => versions.includes(version)));
  }

  /** Returns a data key. Reloads for an unknown version, which may be another replica's newest. */
  async find(version: number): Promise<DataKey | undefined> {
    if (!this.#open.has(version)) await this.reload();
    return this.#open.get(version);
  }

  /** Opens what came, and forgets what is gone. `again` tries what did not open before, too. */
  async reload(again = false): Promise<void> {
    this.#reload ??= this.store
      .seals()
      .then((seals) => {
        if (again) this.#unopened.clear();
        return this.#load(seals, this.report);
      })
      .finally(() => (this.#reload = undefined));
    return this.#reload;
  }

  /**
   * Makes a data key after the newest there is.
   * @returns its version; another replica's when both made one
   * @throws VaultError
   */
  async add(): Promise<number> {
    const version = 1 + Math.max(0, ...(await this.store.seals()).map((seal) => seal.version));
    await this.#make(version);
    await this.reload();
    return version;
  }

  async #make(version: number): Promise<void> {
    const plain = randomBytes(DATA_KEY_BYTES);
    try {
      const [first, ...others] = sealersOf(this.vaults);
      const seals: [DataKeySeal, ...DataKeySeal[]] = [await sealBy(first, version, plain)];
      for (const vault of others) seals.push(await sealBy(vault, version, plain));
      await this.store.add(seals);
    } finally {
      plain.fill(0);
    }
  }

  async #load(all: readonly DataKeySeal[], report: ReportUnopened): Promise<void> {
    const versions = new Set(all.map(({ version }) => version));
    for (const version of this.#open.keys()) if (!versions.has(version)) this.#forget(version);
    for (const version of versions) {
      const seals = all.filter((seal) => seal.version === version);
      const tried = seals.map(({ driver, vaultId }) => `${driver} ${vaultId}`).join();
      if (this.#open.has(version) || this.#unopened.get(version) === tried) continue;
      try {
        const key = await openDataKey(seals, this.vaults, async (plain, by) => {
          if (isSealer(by)) await this.#complete(seals, plain);
          else this.#onlyOpens.add(version);
        });
        this.#open.set(version, key);
        this.#unopened.delete(version);
      } catch (error) {
        this.#unopened.set(version, tried);
        report(version, error);
      }
    }
  }

  #forget(version: number): void {
    this.#open.delete(version);
    this.#onlyOpens.delete(version);
  }

  /** Seals a data key that another vault opened by today's vaults as well: from then on it opens without the other. */
  async #complete(seals: readonly DataKeySeal[], plain: Buffer): Promise<void> {
    const isMissing = (vault: Vault) => {
      const { driver, id } = vault.describe();
      return id === '' || !seals.some((seal) => seal.driver === driver && seal.vaultId === id);
    };
    for (const vault of sealersOf(this.vaults)) {
      if (isMissing(vault)) await this.store.addSeal(await sealBy(vault, seals[0]!.version, plain));
    }
  }
}
