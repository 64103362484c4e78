/** Returns the system's time in Unix milliseconds. It goes on while the machine sleeps, unlike `performance.now()`. */
export function systemNowMs(): number {
  return Date.now();
}
