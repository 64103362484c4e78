import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { HomeError } from './exit-codes.js';

/** A session that is kept from run to run. */
export interface Session {
  readonly api: string;
  readonly email: string;
  readonly address?: string;
  readonly token: string;
  readonly expiresAt: string;
}

/** A login whose code was mailed. */
export interface MailedLogin {
  readonly api: string;
  readonly email: string;
  readonly otpId: string;
}

/** A JSON file of the home folder, readable by this user alone. */
export class PrivateFile<Content extends object> {
  constructor(
    private readonly folder: string,
    private readonly name: string,
  ) {}

  get path(): string {
    return path.join(this.folder, this.name);
  }

  exists(): boolean {
    return existsSync(this.path);
  }

  /** Reads the file; undefined when it is missing or broken. */
  read(): Content | undefined {
    try {
      return JSON.parse(readFileSync(this.path, 'utf8')) as Content;
    } catch {
      return undefined;
    }
  }

  /** Writes the file in one step. @throws HomeError */
  write(content: Content): void {
    const draft = path.join(this.folder, `.${this.name}.${randomUUID()}`);
    this.#change('written', () => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      try {
        writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
        renameSync(draft, this.path);
      } catch (error) {
        rmSync(draft, { force: true });
        throw error;
      }
    });
  }

  /** Removes the file. @throws HomeError */
  remove(): void {
    this.#change('removed', () => rmSync(this.path, { force: true }));
  }

  #change(verb: string, change: () => void): void {
    try {
      change();
    } catch (cause) {
      throw new HomeError(`${this.path} could not be ${verb}: ${(cause as Error).message}.`, { cause });
    }
  }
}
