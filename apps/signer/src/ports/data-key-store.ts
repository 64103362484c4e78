/** A data key as one vault sealed it. */
export interface DataKeySeal {
  readonly version: number;
  /** The vault driver that can open it. */
  readonly driver: string;
  /** ID of the vault among those of its kind; empty when it was not kept. */
  readonly vaultId: string;
  readonly sealed: Buffer;
}

/** A data key and how much depends on it. */
export interface DataKeyUse {
  readonly version: number;
  readonly createdAtMs: number;
  readonly keyCount: number;
}

/** Store of sealed data keys. */
export interface DataKeyStore {
  /** Returns every seal of every data key, the oldest version first. */
  seals(): Promise<readonly DataKeySeal[]>;
  /** Keeps a data key with its seals, all of one version, unless there is one of that version: then nothing changes. */
  add(seals: readonly [DataKeySeal, ...DataKeySeal[]]): Promise<void>;
  /** Keeps one more seal of a data key, unless that vault sealed it already or the key is gone. */
  addSeal(seal: DataKeySeal): Promise<void>;
  /** Describes every data key, the oldest first. */
  describe(): Promise<readonly DataKeyUse[]>;
  /** Removes data keys that no key is under, but for the newest. Returns their versions. */
  retire(): Promise<readonly number[]>;
}
