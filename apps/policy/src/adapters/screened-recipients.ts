import type { Clock } from '@agent-wallet/kernel';
import { type Logger, SettingsError } from '@agent-wallet/platform';
import { isAddress } from '@agent-wallet/solana';
import { readFileSync, statSync } from 'node:fs';
import type { Screening } from '../ports/screening.js';

/** A list may be changed while we run; it is looked at no more often than this. */
const LOOK_EVERY_MS = 5_000;

/** No recipient is screened. */
export const NO_SCREENING: Screening = { isListed: () => false };

/**
 * Reads the operator's list of recipients that get no payments: one base58 address a line; empty lines and what follows a
 * `#` do not count. A list that changes is read again. One that cannot be read leaves the last good one in force.
 */
export class ScreenedRecipients implements Screening {
  #listed: ReadonlySet<string>;
  #version: string;
  #lookedAtMs: number;
  #hasFailed = false;

  /** @throws SettingsError when the file cannot be read, or has a line that is not an address */
  constructor(
    private readonly path: string,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    try {
      this.#version = versionOf(path);
      this.#listed = readList(path);
    } catch (error) {
      throw new SettingsError([`SCREENED_RECIPIENTS_PATH: ${(error as Error).message}`]);
    }
    this.#lookedAtMs = clock.nowMs();
  }

  isListed(address: string): boolean {
    const nowMs = this.clock.nowMs();
    if (Math.abs(nowMs - this.#lookedAtMs) >= LOOK_EVERY_MS) {
      this.#lookedAtMs = nowMs;
      this.#look();
    }
    return this.#listed.has(address);
  }

  #look(): void {
    try {
      const version = versionOf(this.path);
      if (version !== this.#version) {
        this.#listed = readList(this.path);
        this.#version = version;
        const fields = { event: 'screened_recipients.changed', count: this.#listed.size } as const;
        this.logger.info(fields, 'List of screened recipients changed');
      }
      this.#hasFailed = false;
    } catch (err) {
      const fields = { event: 'screened_recipients.reload_failed', err } as const;
      if (!this.#hasFailed)
        this.logger.error(fields, 'List of screened recipients could not be read; the last one stays');
      this.#hasFailed = true;
    }
  }
}

/** Returns what differs once a file was written or replaced: Kubernetes replaces a mounted file by another one. */
function versionOf(path: string): string {
  const { mtimeNs, size, ino } = statSync(path, { bigint: true });
  return `${mtimeNs}:${size}:${ino}`;
}

function readList(path: string): ReadonlySet<string> {
  const lines = readFileSync(path, 'utf8').split('\n');
  const entries = lines.map((line) => line.replace(/#.*$/s, '').trim());
  const wrong = entries.findIndex((entry) => entry !== '' && !isAddress(entry));
  if (wrong !== -1) throw new Error(`line ${wrong + 1} is not an address`);
  return new Set(entries.filter((entry) => entry !== ''));
}
