import { gatewayV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { toNestController } from './controller.js';

const definition = gatewayV1.GatewayOperatorServiceService;

const revoking = { revokeSessions: () => ({ revoked: 0n }) };

describe('a controller is not bound', () => {
  it('without a handler for every method', () => {
    const served = { definition, callers: { revokeSessions: ['ops'] as const }, controller: {} };
    expect(() => toNestController(served)).toThrow('revokeSessions has no handler');
  });

  it('without a list of callers for every method', () => {
    const served = { definition, callers: {}, controller: revoking };
    expect(() => toNestController(served)).toThrow('revokeSessions has no caller list');
  });
});
