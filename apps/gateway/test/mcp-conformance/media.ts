import type { ContentBlock, TextContent } from '@modelcontextprotocol/server';

/** A PNG of one pixel, in Base64. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** A WAV without samples, in Base64. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

/** Returns a block of text. */
export function text(value: string): TextContent {
  return { type: 'text', text: value };
}

/** Returns a block that holds the image. */
export function image(): ContentBlock & { type: 'image' } {
  return { type: 'image', data: PNG, mimeType: 'image/png' };
}

/** Returns a block that embeds a resource of text. */
export function embedded(uri: string, mimeType: string, value: string): ContentBlock & { type: 'resource' } {
  return { type: 'resource', resource: { uri, mimeType, text: value } };
}
