import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SIGNER_VARIABLES, signerSettings } from './settings.js';

const NEEDED = {
  GRPC_ADDRESS: '127.0.0.1:0',
  DATABASE_URL: 'postgres://signer:pass@127.0.0.1/agent_wallet',
  TLS_CA_PATH: '/tls/ca.pem',
  TLS_CERT_PATH: '/tls/signer.pem',
  TLS_KEY_PATH: '/tls/signer.key',
  SIGNER_VAULT_PATH: '/vault/root.key',
  PERMIT_PUBLIC_KEYS_PATH: '/permit-keys',
};
const before = process.env;
beforeEach(() => {
  process.env = { ...NEEDED };
});
afterEach(() => {
  process.env = before;
});

describe("the signer's settings", () => {
  it('have sane defaults', () => {
    expect(signerSettings()).toMatchObject({
      production: false,
      vault: { driver: 'software', path: '/vault/root.key' },
      maxNetworkFeeLamports: 5_000_000n,
      openKeys: { maxCount: 10_000, ttlMs: 300_000, maxSealedCount: 50_000 },
    });
  });

  it('all stand in the documentation', () => {
    const page = readFileSync(path.join(import.meta.dirname, '../../../docs/operating.md'), 'utf8');
    const names = Object.keys(SIGNER_VARIABLES);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    for (const [count] of page.matchAll(/`SIGNER_MAX_\w+` +\| ([\d ]+)/g)) {
      const [name, value] = count.split('|').map((cell) => cell.trim().replaceAll('`', ''));
      const schema = SIGNER_VARIABLES[name as keyof typeof SIGNER_VARIABLES];
      expect([name, schema.parse(undefined)]).toEqual([name, Number(value!.replaceAll(' ', ''))]);
    }
  });

  it('know production, and whether the software vault was allowed there', () => {
    Object.assign(process.env, { NODE_ENV: 'production' });
    expect(() => signerSettings()).toThrow('SIGNER_ALLOW_SOFTWARE_VAULT=true');
    Object.assign(process.env, { SIGNER_ALLOW_SOFTWARE_VAULT: 'true' });
    expect(signerSettings()).toMatchObject({ production: true, vault: { driver: 'software' } });
  });

  it.each([
    ['SIGNER_VAULT', 'drawer', 'SIGNER_VAULT: must be one of software'],
    ['SIGNER_VAULT_PATH', '', 'SIGNER_VAULT_PATH is required'],
    ['SIGNER_MAX_NETWORK_FEE_LAMPORTS', '4999', 'SIGNER_MAX_NETWORK_FEE_LAMPORTS: must be between'],
    ['SIGNER_ALLOW_SOFTWARE_VAULT', 'yes', 'SIGNER_ALLOW_SOFTWARE_VAULT: must be true or false'],
  ])('stop the start when %s is "%s"', (name, value, why) => {
    process.env[name] = value;
    expect(() => signerSettings()).toThrow(why);
  });
});
