/** Returns the message about a code that was mailed, or that waits for the mail server. */
export function mailedMessage({ isQueued }: { readonly isQueued: boolean }): string {
  return isQueued ? 'The code is mailed when the mail server accepts it.' : 'A code was mailed.';
}
