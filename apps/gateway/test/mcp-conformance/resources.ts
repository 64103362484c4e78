import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { PNG } from './media.js';

const TEXT = { uri: 'test://static-text', mimeType: 'text/plain' };
const BINARY = { uri: 'test://static-binary', mimeType: 'image/png' };
const WATCHED = { uri: 'test://watched-resource', mimeType: 'text/plain' };

/** Adds the resources that both revisions read. */
export function addResources(server: McpServer): void {
  server.registerResource('static-text', TEXT.uri, { mimeType: TEXT.mimeType }, () => ({
    contents: [{ ...TEXT, text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static-binary', BINARY.uri, { mimeType: BINARY.mimeType }, () => ({
    contents: [{ ...BINARY, blob: PNG }],
  }));
  const mimeType = 'application/json';
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType }, ({ href }, { id }) => ({
    contents: [
      { uri: href, mimeType, text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }) },
    ],
  }));
}

/** Adds the resource that clients of a session subscribe to. */
export function addWatchedResource(server: McpServer): void {
  server.registerResource('watched-resource', WATCHED.uri, { mimeType: WATCHED.mimeType }, () => ({
    contents: [{ ...WATCHED, text: 'Watched resource content' }],
  }));
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}
