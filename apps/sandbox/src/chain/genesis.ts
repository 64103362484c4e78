import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Key } from '../encoding/keys.js';
import type { AccountChange } from './account.js';
import type { Position } from './chain-clock.js';

/** Mainnet's neighbourhood: high enough that prices can be older than the chain. Skipped slots lie in between. */
const FIRST_SLOT = 360_000_000;
const FIRST_HEIGHT = 338_000_000;

/** What a world begins with. The same for as long as its data directory lives. */
export interface Genesis {
  readonly seed: Buffer;
  readonly origin: Position;
  /** The slot time at the beginning; later changes are in the journal. */
  readonly slotMs: number;
  readonly accounts: readonly AccountChange[];
  /** Programs besides the machine's own. */
  readonly programs: readonly Program[];
}

/** A program as it is loaded. */
export interface Program {
  readonly id: Key;
  readonly elf: Uint8Array;
}

const FileSchema = z.object({ seed: z.string().regex(/^[0-9a-f]{64}$/), timeMs: z.int(), slotMs: z.int() });

/** Reads the directory's genesis file, or writes one whose world begins now. */
export function openGenesis(dataDir: string, slotMs: number, nowMs: number): Omit<Genesis, 'accounts' | 'programs'> {
  const file = path.join(dataDir, 'genesis.json');
  if (!existsSync(file))
    writeWhole(file, JSON.stringify({ seed: randomBytes(32).toString('hex'), timeMs: nowMs, slotMs }));
  const read = FileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const origin = { slot: FIRST_SLOT, height: FIRST_HEIGHT, timeMs: read.timeMs };
  return { seed: Buffer.from(read.seed, 'hex'), origin, slotMs: read.slotMs };
}

/** All or nothing, whenever the process is killed. */
function writeWhole(file: string, text: string): void {
  const fd = openSync(`${file}.new`, 'w', 0o600);
  writeSync(fd, text);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(`${file}.new`, file);
}
