// What the signer is asked: honest messages of many agents, each under a genuine permit.
import { permitSigningInput, PERMIT_LIFETIME_MS, policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { buildMessage, encodeBase58 } from '@agent-wallet/solana';
import { createHash, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

const address = () => encodeBase58(randomBytes(32));

/** Policy's newest permit key: `{ keyId, key }`. */
export async function readPermitKey({ permitKeysPath }) {
  const name = (await readdir(permitKeysPath)).toSorted().at(-1);
  const key = createPrivateKey(await readFile(path.join(permitKeysPath, name)));
  return { keyId: path.basename(name, '.pem'), key };
}

/** A transfer of each agent, `{ agentId, intent, message }`: like every transfer of one token to someone who has it. */
export function transferOf({ id: agentId, address: wallet }) {
  const token = { mint: USDC, tokenProgram: TOKEN_PROGRAM, decimals: 6, createsRecipientAccount: false, memo: '' };
  const intent = { wallet, action: { $case: 'transfer', value: { recipient: address(), amount: 10_000n, ...token } } };
  return { agentId, intent, message: Buffer.from(buildMessage({ intent, blockhash: address() })) };
}

/** The request for its signature, with a permit from now on. */
export function requestFor({ agentId, intent, message }, { keyId, key }) {
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
