// What a run has started and must stop, also when it is interrupted.

const started = [];

/** Remembers how to stop something; the last one started is stopped first. Answers the thing itself. */
export function closing(thing, close) {
  started.push(() => close(thing));
  return thing;
}

/** Stops everything that is still running. A failure to stop is printed and hinders nothing else. */
export async function closeAll() {
  while (started.length > 0) {
    await Promise.resolve(started.pop()()).catch((error) => console.error(error));
  }
}
