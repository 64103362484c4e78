// Signing by the signer, of honest messages of many agents, each under a genuine permit; and by node:crypto alone.
import { permitSigningInput, PERMIT_LIFETIME_MS, policyV1, signerV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { inRequest, loadTls, openRpcClient } from '@agent-wallet/platform';
import { buildMessage, verifySignature } from '@agent-wallet/solana';
import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { closing } from '../../measuring/closing.mjs';
import { newAddress, transferIntent } from '../intent.mjs';
import { closedLoop, perSecond } from '../measure/load.mjs';

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

/** Policy's newest permit key: `{ keyId, key }`. */
async function readPermitKey({ permitKeysPath }) {
  const name = (await readdir(permitKeysPath)).toSorted().at(-1);
  const key = createPrivateKey(await readFile(path.join(permitKeysPath, name)));
  return { keyId: path.basename(name, '.pem'), key };
}

/** A transfer of each agent, `{ agentId, intent, message }`: like every transfer of one token to someone who has it. */
function transferOf({ id: agentId, address: wallet }) {
  const intent = transferIntent({ wallet });
  return { agentId, intent, message: Buffer.from(buildMessage({ intent, blockhash: newAddress() })) };
}

/** The request for its signature, with a permit from now on. */
function requestFor({ agentId, intent, message }, { keyId, key }) {
  const issuedAtMs = BigInt(Date.now());
  const claims = Buffer.from(
    policyV1.PermitClaims.encode({
      ...{ permitId: newId(), operationId: newId(), step: 1, attempt: 1, agentId, intent, issuedAtMs },
      messageHash: createHash('sha256').update(message).digest(),
      expiresAtMs: issuedAtMs + BigInt(PERMIT_LIFETIME_MS),
    }).finish(),
  );
  return {
    message,
    resolvedAddresses: [],
    permit: { claims, signature: sign(null, permitSigningInput(claims), key), keyId },
  };
}
