import { gatewayV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { bindController } from './controller.js';

const definition = gatewayV1.GatewayOperatorServiceService;

class OperatorController {
  revokeSessions() {
    return { revoked: 0n };
  }
}

class EmptyController {}

describe('a controller is not bound', () => {
  it('without a handler for every method', () => {
    const served = { definition, callers: { revokeSessions: ['ops'] as const }, controller: EmptyController };
    expect(() => bindController(served)).toThrow('revokeSessions has no handler');
  });

  it('without a list of callers for every method', () => {
    const served = { definition, callers: {}, controller: OperatorController };
    expect(() => bindController(served)).toThrow('revokeSessions has no caller list');
  });
});
