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
      exchangePort: 8903,
      exchangeKey: undefined,
      exchangeTier: 'basic',
      exchangeCashMicros: 100_000_000_000n,
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

  it('keeps its state in DATA_DIR by default', () => {
    expect(sandboxSettings({ DATA_DIR: '/x' }).dataDir).toBe('/x/sandbox');
    expect(sandboxSettings({ DATA_DIR: '/x', SANDBOX_DATA_DIR: '/y' }).dataDir).toBe('/y');
  });

  it('takes a key of the exchange whole or not at all', () => {
    const key = { SANDBOX_EXCHANGE_KEY_ID: 'key', SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: '/key.pem' };
    expect(sandboxSettings(key).exchangeKey).toEqual({ id: 'key', publicKeyPath: '/key.pem' });
    for (const [name, missing] of [Object.keys(key), Object.keys(key).reverse()] as Array<[string, string]>) {
      expect(() => sandboxSettings({ ...key, [missing]: '' })).toThrow(`${missing}: is required`);
      expect(() => sandboxSettings({ ...key, [name]: '' })).toThrow(`${name}: is required`);
    }
  });

  it.each([
    ['SANDBOX_EXCHANGE_BALANCE_USD', '-1'],
    ['SANDBOX_EXCHANGE_BALANCE_USD', 'much'],
    ['SANDBOX_EXCHANGE_TIER', 'best'],
    ['SANDBOX_RPC_PORT', '65536'],
    ['SANDBOX_SLOT_MS', '-1'],
    ['SANDBOX_SLOT_MS', 'fast'],
    ['SANDBOX_FINALIZE_SLOTS', '1.5'],
  ])('names %s when it is %s', (name, value) => {
    expect(() => sandboxSettings({ [name]: value })).toThrow(name);
  });
});
