import { Secret } from '@agent-wallet/kernel';
import { readFileSync } from 'node:fs';

/** Maximum age of a cached secret. Secrets are read where they are used, which may be often. */
const READ_EVERY_MS = 10_000;

/** Reads a file's text without the line break that editors and `echo` add at the end. */
export function readSecretFile(path: string): string {
  return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
}

/**
 * A secret in a file that may change while we run. What cannot be read, or is not accepted, leaves the last one in use,
 * and is reported once, by the name of the setting.
 */
export class SecretFile extends Secret<string> {
  #text: string;
  #readAtMs: number;
  #hasWarned = false;

  constructor(
    private readonly file: {
      /** Name of the setting that names the file. */
      readonly name: string;
      readonly path: string;
      /** Returns the value to use of a text; undefined when the text is unusable. */
      readonly accept: (text: string) => string | undefined;
      /** Milliseconds of any steady clock. */
      readonly nowMs: () => number;
      readonly warn: (text: string) => void;
    },
    first: string,
  ) {
    super(first);
    this.#text = first;
    this.#readAtMs = file.nowMs();
  }

  override reveal(): string {
    const nowMs = this.file.nowMs();
    if (nowMs - this.#readAtMs >= READ_EVERY_MS) {
      this.#readAtMs = nowMs;
      this.#readAgain();
    }
    return this.#text;
  }

  #readAgain(): void {
    const text = this.#read();
    if (text !== undefined) this.#text = text;
    else if (!this.#hasWarned) this.file.warn(`${this.file.name} cannot be used; the last secret stays in use`);
    this.#hasWarned = text === undefined;
  }

  #read(): string | undefined {
    try {
      return this.file.accept(readSecretFile(this.file.path));
    } catch {
      return undefined;
    }
  }
}
