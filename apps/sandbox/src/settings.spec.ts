import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { sandboxSettings } from './settings.js';

describe('sandboxSettings', () => {
  it('has the documented defaults', () => {
    expect(sandboxSettings({})).toEqual({
      host: '127.0.0.1',
      dataDir: path.resolve('.data/sandbox'),
      rpcPort: 8899,
      wsPort: 8900,
      aggregatorPort: 8902,
      smtpPort: 8904,
      adminPort: 8905,
      slotMs: 400,
      finalizeSlots: 31,
    });
  });

  it('puts the WebSocket beside the RPC port, or lets the system pick both', () => {
    expect(sandboxSettings({ SANDBOX_RPC_PORT: '9000' }).wsPort).toBe(9001);
    expect(sandboxSettings({ SANDBOX_RPC_PORT: '0' }).wsPort).toBe(0);
    expect(sandboxSettings({ SANDBOX_RPC_PORT: '0', SANDBOX_WS_PORT: '9005' }).wsPort).toBe(9005);
  });

  it('keeps its state in DATA_DIR unless told otherwise', () => {
    expect(sandboxSettings({ DATA_DIR: '/x' }).dataDir).toBe('/x/sandbox');
    expect(sandboxSettings({ DATA_DIR: '/x', SANDBOX_DATA_DIR: '/y' }).dataDir).toBe('/y');
  });

  it.each([
    ['SANDBOX_RPC_PORT', '65536'],
    ['SANDBOX_SLOT_MS', '-1'],
    ['SANDBOX_SLOT_MS', 'fast'],
    ['SANDBOX_FINALIZE_SLOTS', '1.5'],
  ])('names %s when it is %s', (name, value) => {
    expect(() => sandboxSettings({ [name]: value })).toThrow(name);
  });
});
