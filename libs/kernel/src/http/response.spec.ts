import { describe, expect, it } from '@jest/globals';
import { isTimeout, jsonOf, readText } from './response.js';

describe('the text of an answer', () => {
  it.each([
    ['of as many bytes as it may have', 'grüße', 7],
    ['that is empty', '', 0],
  ])('%s is read', async (_, text, maxBytes) => {
    expect(await readText(new Response(text), maxBytes)).toBe(text);
  });

  it('that comes in pieces is put together, letters of several bytes, too', async () => {
    const bytes = new TextEncoder().encode('grüße');
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await readText(new Response(pieces), 7)).toBe('grüße');
  });

  it('that is a byte longer than it may be is refused', async () => {
    await expect(readText(new Response('grüße'), 6)).rejects.toThrow('longer than 6 bytes');
  });
});

describe('a text', () => {
  it('is JSON, or undefined', () => {
    expect([jsonOf('{"a":1}'), jsonOf('<html>'), jsonOf('')]).toEqual([{ a: 1 }, undefined, undefined]);
  });
});

describe('an error', () => {
  it('is a timeout when the time was over, and only then', async () => {
    const late = AbortSignal.timeout(0);
    await new Promise((resolve) => late.addEventListener('abort', resolve));
    expect([late.reason, new Error('TimeoutError'), 'TimeoutError', null].map(isTimeout)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
