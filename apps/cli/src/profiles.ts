import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { HomeError, UsageError } from './exit-codes.js';
import { PrivateFile, type Session } from './session-file.js';

/** The profile of those who use one session: its files are those of the home folder itself. */
export const DEFAULT_PROFILE = 'default';

const NAME = /^[a-z0-9-]{1,32}$/;

/** Returns the home folder. */
export function homeOf(given: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  return path.resolve(given ?? (env['AW_HOME'] || path.join(homedir(), '.agent-wallet')));
}

/** Returns the name of a profile to show; undefined for `default`, which is not named. */
export function shownProfile(name: string | undefined): string | undefined {
  return name === DEFAULT_PROFILE ? undefined : name;
}

/** Reads the name of a profile. @throws UsageError */
export function toProfile(source: string, given: string): string {
  if (NAME.test(given)) return given;
  throw new UsageError(`${source} takes 1 to 32 of a-z, 0-9 and -, not ${given}.`);
}

/** The profiles of a home folder, each of which has a session and open requests of its own. */
export class Profiles {
  readonly #choice: PrivateFile<{ readonly profile: string }>;

  constructor(private readonly home: string) {
    this.#choice = new PrivateFile(home, 'profile.json');
  }

  /** Returns the folder of a profile. */
  folder(name: string): string {
    return name === DEFAULT_PROFILE ? this.home : path.join(this.home, 'profiles', name);
  }

  /** Returns the file of a profile's session. */
  session(name: string): PrivateFile<Session> {
    return new PrivateFile(this.folder(name), 'session.json');
  }

  /** Reports whether there are profiles besides `default`. */
  hasNamed(): boolean {
    return existsSync(path.join(this.home, 'profiles'));
  }

  /** Returns the names of all profiles, `default` first. @throws HomeError */
  names(): readonly string[] {
    const folder = path.join(this.home, 'profiles');
    try {
      const found = readdirSync(folder, { withFileTypes: true });
      const named = found.filter((entry) => entry.isDirectory() && NAME.test(entry.name)).map(({ name }) => name);
      return [DEFAULT_PROFILE, ...named.filter((name) => name !== DEFAULT_PROFILE).toSorted()];
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return [DEFAULT_PROFILE];
      throw new HomeError(`${folder} could not be read: ${message}.`, { cause });
    }
  }

  /** Returns the profile of commands that name none. @throws UsageError when its file is broken: another agent would pay */
  chosen(): string {
    if (!this.#choice.exists()) return DEFAULT_PROFILE;
    const { profile } = this.#choice.read() ?? {};
    if (typeof profile === 'string' && NAME.test(profile)) return profile;
    throw new UsageError(`${this.#choice.path} names no profile. Delete it, and choose again: aw profiles use NAME.`);
  }

  /** Sets the default profile. @throws UsageError when there is no such profile */
  choose(name: string): void {
    const names = this.names();
    if (!names.includes(name)) {
      throw new UsageError(`No profile is called ${name}: ${names.join(', ')}. Create it: aw login --profile ${name}.`);
    }
    if (name === DEFAULT_PROFILE) this.#choice.remove();
    else this.#choice.write({ profile: name });
  }
}
