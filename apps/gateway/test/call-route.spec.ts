import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { callRoute } from '../src/api/call.js';
import { ROUTES } from '../src/api/routes.js';
import type { ApiServices } from '../src/api/services.js';

const agentId = newId();
const times = { expiresAtMs: 1_800_000_000_000, authenticatedAtMs: 1_700_000_000_000 };
const caller = { agentId, sessionId: newId(), ...times, isLive: true };
const facts = { requestId: newId(), client: '127.0.0.1', elapsedMs: 0, headers: {} };

/** Calls a route as a transport without HTTP would: with a policy service alone behind it. */
function call(id: string, raw: object, policy: Partial<ApiServices['services']['policy']> = {}) {
  return callRoute(ROUTES, id, { caller, raw, facts }, { services: { policy } } as unknown as ApiServices);
}

describe('callRoute', () => {
  it('validates the input and runs the handler, without a server', async () => {
    const changed: unknown[] = [];
    const update = async (request: policyV1.UpdatePolicyRequest) => {
      changed.push(request);
      const newRecipients = policyV1.NewRecipients.NEW_RECIPIENTS_ALLOW;
      return { ...policyV1.Policy.decode(Buffer.alloc(0)), allowTrading: false, newRecipients };
    };
    const handled = await call('updatePolicy', { body: { allowTrading: false } }, { update });
    expect(changed).toMatchObject([{ agentId, allowTrading: false }]);
    expect(handled).toMatchObject({ message: 'The policy was updated.', data: { policy: { allowTrading: false } } });
  });

  it('rejects wrong input before the handler runs', async () => {
    await expect(call('updatePolicy', { body: { allowTrading: 'no', nonsense: 1 } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'allowTrading' }, { field: 'nonsense' }],
    });
  });

  it('rejects an id that no route has', async () => {
    await expect(call('launchRocket', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
