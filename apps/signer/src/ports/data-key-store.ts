/** A data key as its vault sealed it. */
export interface SealedDataKey {
  readonly version: number;
  /** The vault driver that can open it. */
  readonly driver: string;
  readonly sealed: Buffer;
}

/** Where sealed data keys are kept. */
export interface DataKeyStore {
  /** The newest; undefined before the first start. */
  newest(): Promise<SealedDataKey | undefined>;
  /** Keeps a data key unless there is one of its version: then nothing changes. */
  add(key: SealedDataKey): Promise<void>;
}
