/** What keeps a job from being done, in words that say what to do about it. */
export class JobError extends Error {}
