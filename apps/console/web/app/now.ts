/** Returns the time in Unix milliseconds, by the clock of the browser when the page was opened. */
export const nowMs = (): number => Math.floor(performance.timeOrigin + performance.now());
