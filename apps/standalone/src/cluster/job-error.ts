/** Reason why a job cannot be done, with the action to take. */
export class JobError extends Error {}
