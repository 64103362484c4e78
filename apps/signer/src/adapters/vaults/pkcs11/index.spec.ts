import { readSettings, SettingsError } from '@agent-wallet/platform';
import { describe, expect, it } from '@jest/globals';
import { VaultError } from '../../../ports/vault.js';
import { pkcs11Choice, PKCS11_VARIABLES } from './index.js';
import { openModule } from './native-module.js';

const token = {
  SIGNER_PKCS11_MODULE_PATH: '/usr/lib/vendor/pkcs11.so',
  SIGNER_PKCS11_TOKEN_LABEL: 'wallets',
  SIGNER_PKCS11_PIN_PATH: '/run/secrets/pin',
};
const choose = (environment: Record<string, string>, production = false) =>
  pkcs11Choice(readSettings(PKCS11_VARIABLES, environment), { production });

describe("the settings of a token's vault", () => {
  it('name the module, the token, the PIN and the key', () => {
    expect(choose(token, true)).toEqual({
      driver: 'pkcs11',
      modulePath: '/usr/lib/vendor/pkcs11.so',
      tokenLabel: 'wallets',
      pinPath: '/run/secrets/pin',
      keyLabel: 'agent-wallet',
      allowsSoftware: false,
    });
  });

  it.each(Object.keys(token))('need %s', (name) => {
    expect(() => choose({ ...token, [name]: '' })).toThrow(`${name} is required`);
    expect(() => choose({ ...token, [name]: '' })).toThrow(SettingsError);
  });

  it('do not name a token in software in production', () => {
    const software = { ...token, SIGNER_PKCS11_MODULE_PATH: '/usr/lib/softhsm/libsofthsm2.so' };
    expect(() => choose(software, true)).toThrow('refused with NODE_ENV=production');
    expect(choose(software).allowsSoftware).toBe(true);
  });
});

describe('the native package', () => {
  it('is not built: what to run is said', async () => {
    const unbuilt = () => Promise.reject(new Error("Cannot find module './build/Release/pkcs11.node'"));
    const opening = openModule(token.SIGNER_PKCS11_MODULE_PATH, unbuilt);
    await expect(opening).rejects.toThrow(VaultError);
    await expect(opening).rejects.toThrow('run `npm rebuild pkcs11js`');
  });
});
