/** Unix milliseconds, as gRPC wants deadlines. */
export const nowMs = (): number => Date.now();
