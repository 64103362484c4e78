import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A session that is kept from run to run. */
export interface Session {
  readonly api: string;
  readonly email: string;
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

  /** Reads the file; undefined when it is missing or broken. */
  read(): Content | undefined {
    try {
      return JSON.parse(readFileSync(path.join(this.folder, this.name), 'utf8')) as Content;
    } catch {
      return undefined;
    }
  }

  /** Writes the file in one step. */
  write(content: Content): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const draft = path.join(this.folder, `.${this.name}.${randomUUID()}`);
    writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
    renameSync(draft, path.join(this.folder, this.name));
  }

  remove(): void {
    rmSync(path.join(this.folder, this.name), { force: true });
  }
}
