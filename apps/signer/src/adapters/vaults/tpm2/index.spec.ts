import { readSettings, SettingsError } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { describe, expect, it } from '@jest/globals';
import { openTpm2Vault, TPM2_VARIABLES, tpm2Choice } from './index.js';
import { namePcrValues, parsePcrSelection } from './pcr-selection.js';

const choose = (environment: Record<string, string>, production = false) =>
  tpm2Choice(readSettings(TPM2_VARIABLES, environment), { production });

describe("the settings of a TPM's vault", () => {
  it('default to the TPM of this machine and what it started', () => {
    expect(choose({}, true)).toMatchObject({ driver: 'tpm2', tcti: 'device:/dev/tpmrm0', pcrs: 'sha256:0,2,4,7' });
  });

  it.each(['swtpm:path=/run/tpm', 'swtpm', 'mssim:port=2321'])('do not mean the emulator %s in production', (tcti) => {
    expect(() => choose({ SIGNER_TPM2_TCTI: tcti }, true)).toThrow('an emulator is refused with NODE_ENV=production');
    expect(choose({ SIGNER_TPM2_TCTI: tcti }).tcti).toBe(tcti);
  });

  it.each(['cmd:ssh elsewhere', 'pcap:device', '/dev/tpm0', 'devices'])('do not take %s for a TPM', (tcti) => {
    expect(() => choose({ SIGNER_TPM2_TCTI: tcti })).toThrow(SettingsError);
  });

  it.each([
    ['sha1:0', 'must be like'],
    ['sha256:', 'must be like'],
    ['sha256:0,', 'must be like'],
    ['sha256:0 -o x', 'must be like'],
    ['sha256:24', 'there is no register 24'],
    ['sha256:16', 'register 16 can be reset by any program'],
    ['sha256:0,23', 'register 23 can be reset by any program'],
    ['sha256:0+sha256:1', 'names a bank twice'],
  ])('do not take %s for registers', (pcrs, why) => {
    expect(() => choose({ SIGNER_TPM2_PCRS: pcrs })).toThrow(`SIGNER_TPM2_PCRS: ${why}`);
  });
});

describe('a selection of registers', () => {
  it('is the same in any order', () => {
    expect(parsePcrSelection('sha256:11,0,7,7').text).toBe('sha256:0,7,11');
    expect(parsePcrSelection('sha384:7,0+sha256:0').text).toBe('sha384:0,7+sha256:0');
  });

  it('names values, and only when all of them are there', () => {
    const selection = parsePcrSelection('sha256:0,7+sha384:1');
    const values = Buffer.concat([Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(48, 3)]);
    expect(namePcrValues(selection, values)).toEqual({
      sha256: { '0': '01'.repeat(32), '7': '02'.repeat(32) },
      sha384: { '1': '03'.repeat(48) },
    });
    expect(namePcrValues(selection, values.subarray(1))).toBeUndefined();
    expect(namePcrValues(selection, Buffer.concat([values, Buffer.alloc(1)]))).toBeUndefined();
  });
});

describe('a machine', () => {
  it('without the tools or without a TPM says what is missing', async () => {
    const choice = { driver: 'tpm2', tcti: 'device:/nowhere/tpm', pcrs: 'sha256:0', timeoutMs: 5_000 } as const;
    await expect(openTpm2Vault(choice, silent)).rejects.toThrow(/install tpm2-tools|it cannot be reached/);
  });
});
