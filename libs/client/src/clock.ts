/** Returns the time in Unix milliseconds, the unit of gRPC deadlines. */
export const nowMs = (): number => Date.now();
