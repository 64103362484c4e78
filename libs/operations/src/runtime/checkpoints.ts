import { existsSync, readFileSync, rmSync } from 'node:fs';

/** The places at which tests make a process die or a message's operation stop; sagas name their own. */
export type CheckpointPoint =
  | 'after-build'
  | 'after-parking'
  | 'after-approval'
  | 'after-reservation'
  | 'after-signing'
  | 'after-persisting'
  | 'after-broadcast'
  | 'after-landing'
  | 'before-answering'
  | 'before-publishing';

/** A place's full name, with the action in front: `transfer.after-build`. */
export type CheckpointName = `${string}.${string}`;

/** Passed at every named place. Resolves at once, except in tests. */
export type Checkpoint = (name: CheckpointName) => Promise<void>;

/** Does nothing; the checkpoint of production. */
export const noCheckpoint: Checkpoint = async () => {};

/**
 * Creates a checkpoint for fault tests: the process kills itself (SIGKILL) at the place that a file names, as a power
 * cut would. Nothing after the place is executed. The file may be written while the process runs. It is removed first,
 * so the next process survives.
 * @param file holds a full name, or only its last part for every action: `after-signing`; without the file nothing happens
 */
export function crashAtPlaceIn(file: string): Checkpoint {
  return async (name) => {
    if (!existsSync(file)) return;
    const place = readFileSync(file, 'utf8');
    if (name !== place && !name.endsWith(`.${place}`)) return;
    rmSync(file);
    process.kill(process.pid, 'SIGKILL');
    await new Promise<never>(() => {});
  };
}
