import type { Evidence, Vault, VaultDescription } from '../../../ports/vault.js';
import { VaultError } from '../../../ports/vault.js';
import { evidenceKeyId, TPM2_EVIDENCE_FORMAT, type Tpm2QuoteDocument } from './evidence.js';
import { namePcrValues, type PcrSelection } from './pcr-selection.js';
import { decodeSealedBlob, encodeSealedBlob } from './sealed-blob.js';
import { type TpmSession, type TpmTools } from './tpm-tools.js';

const BINDING_BYTES = 32;

/** The usual storage root key: the TPM makes the same one each time, until it is cleared. */
const STORAGE_ROOT_KEY = [
  '-C',
  'o',
  '-g',
  'sha256',
  '-G',
  'ecc256:aes128cfb',
  '-a',
  'fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt',
];

/** Signs nothing that pretends to come from the TPM and does not. The TPM makes the same one each time. */
const ATTESTATION_KEY = [
  '-C',
  'e',
  '-g',
  'sha256',
  '-G',
  'ecc256:ecdsa-sha256:null',
  '-a',
  'fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|sign',
];

/** Opens with its policy alone, which is that registers are what they were; never with a password. */
const SEALED_OBJECT = ['-g', 'sha256', '-a', 'fixedtpm|fixedparent|noda|adminwithpolicy'];

/**
 * A vault in a TPM 2.0: seals to registers (PCRs) in which firmware and boot loader wrote down what they started. What it
 * sealed opens on this machine only, and only after the same start.
 */
export class Tpm2Vault implements Vault {
  private constructor(
    private readonly tools: TpmTools,
    private readonly pcrs: PcrSelection,
    private readonly description: VaultDescription,
  ) {}

  /** @throws VaultError when the TPM is away, or keeps none of these registers */
  static async open(tools: TpmTools, pcrs: PcrSelection, isolation: string): Promise<Tpm2Vault> {
    const id = await tools.session(async (tpm) => {
      await tpm.run('pcrread', [pcrs.text, '-o', tpm.file('pcrs')]);
      if (!namePcrValues(pcrs, await tpm.read('pcrs'))) {
        throw new VaultError(`the TPM at ${tools.address.tcti} does not keep all of the registers ${pcrs.text}`);
      }
      return loadStorageRootKey(tpm);
    });
    return new Tpm2Vault(tools, pcrs, { driver: 'tpm2', isolation, id });
  }

  seal(secret: Uint8Array): Promise<Buffer> {
    return this.tools.session(async (tpm) => {
      const srk = await loadStorageRootKey(tpm);
      await tpm.run('createpolicy', ['-Q', '--policy-pcr', '-l', this.pcrs.text, '-L', tpm.file('policy')]);
      const files = ['-L', tpm.file('policy'), '-u', tpm.file('public'), '-r', tpm.file('private')];
      await tpm.run('create', ['-Q', '-C', tpm.file('srk'), ...SEALED_OBJECT, ...files, '-i', '-'], secret);
      return encodeSealedBlob({
        srk,
        pcrs: this.pcrs,
        public: await tpm.read('public'),
        private: await tpm.read('private'),
      });
    });
  }

  async unseal(sealed: Uint8Array): Promise<Buffer> {
    const blob = decodeSealedBlob(sealed);
    return this.tools.session(async (tpm) => {
      const srk = await loadStorageRootKey(tpm);
      if (srk !== blob.srk) {
        throw new VaultError(
          `this was sealed by another TPM, or before this one was cleared (key ${blob.srk}, here ${srk})`,
        );
      }
      await tpm.write('public', blob.public);
      await tpm.write('private', blob.private);
      const files = ['-u', tpm.file('public'), '-r', tpm.file('private'), '-c', tpm.file('object')];
      await tpm.run('load', ['-Q', '-C', tpm.file('srk'), ...files]);
      return tpm.run('unseal', ['-Q', '-c', tpm.file('object'), '-p', `pcr:${blob.pcrs.text}`]);
    });
  }

  /**
   * Returns a quote over the registers. It proves the machine and its state, but not which of its programs requested
   * it.
   */
  async evidence(binding: Uint8Array): Promise<Evidence> {
    if (binding.length !== BINDING_BYTES) throw new VaultError(`a binding has ${BINDING_BYTES} bytes`);
    return this.tools.session(async (tpm) => {
      await tpm.run('createprimary', [
        '-Q',
        ...ATTESTATION_KEY,
        '-c',
        tpm.file('ak'),
        '-f',
        'pem',
        '-o',
        tpm.file('ak.pem'),
      ]);
      const files = ['-m', tpm.file('attest'), '-s', tpm.file('signature'), '-o', tpm.file('pcrs'), '-F', 'values'];
      const what = ['-l', this.pcrs.text, '-q', Buffer.from(binding).toString('hex'), '-g', 'sha256'];
      await tpm.run('quote', ['-Q', '-c', tpm.file('ak'), ...what, ...files]);
      return this.evidenceOf(tpm);
    });
  }

  describe(): VaultDescription {
    return this.description;
  }

  close(): Promise<void> {
    return this.tools.idle();
  }

  private async evidenceOf(tpm: TpmSession): Promise<Evidence> {
    const ak = (await tpm.read('ak.pem')).toString('utf8');
    const pcrs = namePcrValues(this.pcrs, await tpm.read('pcrs'));
    if (!pcrs) throw new VaultError(`the TPM quoted other registers than ${this.pcrs.text}`);
    const document: Tpm2QuoteDocument = {
      attest: (await tpm.read('attest')).toString('base64'),
      signature: (await tpm.read('signature')).toString('base64'),
      pcrs,
      ak,
    };
    return { format: TPM2_EVIDENCE_FORMAT, keyId: evidenceKeyId(ak), document: Buffer.from(JSON.stringify(document)) };
  }
}

/** Makes the storage root key, into the file `srk`. Resolves to its name. */
async function loadStorageRootKey(tpm: TpmSession): Promise<string> {
  await tpm.run('createprimary', ['-Q', ...STORAGE_ROOT_KEY, '-c', tpm.file('srk')]);
  await tpm.run('readpublic', ['-Q', '-c', tpm.file('srk'), '-n', tpm.file('srk.name')]);
  return (await tpm.read('srk.name')).toString('hex');
}
