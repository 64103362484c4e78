import { describe, expect, it } from '@jest/globals';
import { readMethodComment } from './grpc-model.mjs';
import { grpcPage, readGrpcPage } from './grpc-page.mjs';

describe('the reference of the gRPC services', () => {
  it('is on the page as the protos, the lists of callers and the catalogue say it', async () => {
    expect(await grpcPage()).toBe(readGrpcPage());
  });

  it('has links that lead to headings', () => {
    const page = readGrpcPage();
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading.toLowerCase().replaceAll(/[^\w -]/g, ''),
    );
    const targets = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(100);
    expect(targets.filter((target) => !headings.includes(target))).toEqual([]);
  });

  it('takes errors and callers from the end of a comment', () => {
    expect(readMethodComment('Does it. Errors: NOT_FOUND, NO_ROUTE. Callers: wallet, swap.', 'It')).toEqual({
      doc: 'Does it.',
      errors: ['NOT_FOUND', 'NO_ROUTE'],
      callers: ['wallet', 'swap'],
    });
    expect(readMethodComment('Reads. Callers: ops.', 'It')).toEqual({ doc: 'Reads.', errors: [], callers: ['ops'] });
    expect(() => readMethodComment('Reads.', 'It')).toThrow('the comment of It');
  });
});
