import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** A value that prints as `[secret]` wherever it ends up: logs, JSON, templates, errors. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** Returns the value itself. Call it where the value is used, and do not keep the result. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
