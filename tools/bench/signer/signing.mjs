// Signing by the signer, and by nobody but node:crypto.
import { signerV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { inRequest, loadTls, openRpcClient } from '@agent-wallet/platform';
import { verifySignature } from '@agent-wallet/solana';
import { generateKeyPairSync, sign } from 'node:crypto';
import { closing } from '../measure/closing.mjs';
import { closedLoop, perSecond } from '../measure/load.mjs';
import { readPermitKey, requestFor, transferOf } from './requests.mjs';

const BARE_KEYS = 1_000;

/** The deployment's signer, as the wallet calls it, with the keys of many agents. */
export class ProductSigning {
  #client;
  #permitKey;
  #transfers = [];
  #requests = [];
  #turn = 0;
  /** The first signature of each key; the same message has the same signature. */
  #signatures = [];
  wrong = 0;

  static async open(deployment) {
    const { certificates, secrets } = deployment.infrastructure;
    const signing = new ProductSigning();
    signing.#permitKey = await readPermitKey(secrets);
    signing.#client = openRpcClient({
      definition: signerV1.SignerServiceService,
      peer: { address: deployment.addressOf('signer-0'), service: 'signer' },
      tls: await loadTls(certificates.wallet),
    });
    closing(signing.#client, (client) => client.close());
    return signing;
  }

  get keys() {
    return this.#transfers.length;
  }

  /** Makes keys until there are so many; resolves to how many a second. */
  async grow(keys, callers) {
    const call = async () => {
      const agent = { id: newId() };
      const { address } = await this.#client.createKey({ agentId: agent.id });
      this.#transfers.push({ ...transferOf({ ...agent, address }), address, requestId: newId() });
    };
    return perSecond(await closedLoop({ callers, calls: keys - this.keys, call }));
  }

  /** Makes permits for a round: they are good for a minute, and policy's work is not the signer's. */
  permit() {
    this.#requests = this.#transfers.map((transfer) => requestFor(transfer, this.#permitKey));
  }

  /** One signature, of the next key, for a request that has its id from the edge. */
  async sign() {
    const n = (this.#turn = (this.#turn + 1) % this.keys);
    const { requestId, agentId } = this.#transfers[n];
    const { signature } = await inRequest({ requestId, agentId }, () => this.#client.sign(this.#requests[n]));
    const known = (this.#signatures[n] ??= signature);
    if (known !== signature && !known.equals(signature)) this.wrong += 1;
  }

  /** Waits until a signer that was started again is found. */
  connected() {
    return this.#client.connected(10_000);
  }

  /** How many keys have signed, and how many of their signatures are not what they must be. */
  verified() {
    const signed = this.#transfers.filter((_, n) => this.#signatures[n]);
    const bad = this.#transfers.filter(
      ({ message, address }, n) => this.#signatures[n] && !verifySignature(message, this.#signatures[n], address),
    );
    return { signed: signed.length, bad: bad.length + this.wrong };
  }

  /** How the signer answers a permit for another message. */
  async refusal() {
    const [first, second] = this.#requests;
    return this.#client.sign({ ...first, permit: second.permit }).then(
      () => 'signed',
      ({ code, data }) => `${code} ${data?.reason}`,
    );
  }
}

/** As many open keys, and a message of a transfer's length. */
export function openBareSigning() {
  const keys = Array.from({ length: BARE_KEYS }, () => generateKeyPairSync('ed25519').privateKey);
  const message = Buffer.alloc(214, 7);
  let turn = 0;
  return () => sign(null, message, keys[(turn = (turn + 1) % BARE_KEYS)]);
}
