/** Characters of a response, or of one event: no answer of the service is near that. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** Reads a response as text. @throws Error for one that is too long, and what the stream fails with */
export async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  let text = '';
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length > MAX_LENGTH) throw new Error('The response is too long.');
  }
  return text;
}

/**
 * Reads the data of Server-Sent Events. Drops an event that the end of the stream cuts.
 * @throws Error for an event that is too long, and what the stream fails with
 */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let data: string[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A carriage return at the end may be half of a line break.
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('data:')) {
          data.push(line.slice('data:'.length).replace(/^ /, ''));
          length += line.length;
        }
        if (line !== '' || data.length === 0) continue;
        yield data.join('\n');
        data = [];
        length = 0;
      }
      if (length + rest.length > MAX_LENGTH) throw new Error('The event is too long.');
    }
  } finally {
    // Frees the connection when the reader has what it waits for.
    await reader.cancel().catch(() => undefined);
  }
}
