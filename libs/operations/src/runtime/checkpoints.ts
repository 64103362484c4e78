/** The places at which tests make a process die or a message's operation stop; sagas name their own. */
export type CheckpointPoint =
  | 'after-build'
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

/** For production: nothing happens anywhere. */
export const noCheckpoint: Checkpoint = async () => {};

/**
 * For fault tests: the process kills itself (SIGKILL) at one place, as a power cut would. Nothing after the place is
 * executed.
 * @param place a full name, or only its last part for every action: `after-signing`
 */
export function crashAt(place: string): Checkpoint {
  return async (name) => {
    if (name !== place && !name.endsWith(`.${place}`)) return;
    process.kill(process.pid, 'SIGKILL');
    await new Promise<never>(() => {});
  };
}
