import { beforeAll, describe, expect, it } from '@jest/globals';
import { readMethodComment } from './grpc-model.mjs';
import { grpcPage } from './grpc-page.mjs';

describe('the reference of the gRPC services', () => {
  let page;

  // Fails when a comment differs from the lists of callers and the catalogue.
  beforeAll(async () => {
    page = await grpcPage();
  });

  it('says what the protos, the lists of callers and the catalogue say', () => {
    const [, transfer] = page.split('#### agentwallet.wallet.v1.WalletService/Transfer\n');
    expect(transfer).toContain('Callers: `gateway`. Safe to repeat with the same fields');
    expect(transfer).toContain('| `operation_id` |');
    expect(page).toMatch(/`POLICY_VIOLATION` +\| PERMISSION_DENIED \(7\) +\| no/);
    expect(page).toMatch(/^#### agentwallet.signer.v1.SignerService\/Sign$/m);
  });

  it('has links that lead to headings', () => {
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
