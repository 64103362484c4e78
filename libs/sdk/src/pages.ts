/** A page of a list, and where the next one begins. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** A list that is read page by page: `for await (const entry of list)` reads on as far as it is iterated. */
export class Pages<Entry> implements AsyncIterable<Entry> {
  constructor(private readonly read: (cursor: string | undefined) => Promise<Page<Entry>>) {}

  /** Reads one page; the first without a cursor. */
  page(cursor?: string): Promise<Page<Entry>> {
    return this.read(cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Entry, void, undefined> {
    let cursor: string | undefined;
    do {
      const { entries, nextCursor } = await this.read(cursor);
      yield* entries;
      cursor = nextCursor;
    } while (cursor !== undefined);
  }

  /** Reads all pages, or the first entries. */
  async all(most = Number.POSITIVE_INFINITY): Promise<Entry[]> {
    const found: Entry[] = [];
    for await (const entry of this) {
      found.push(entry);
      if (found.length >= most) break;
    }
    return found;
  }
}
