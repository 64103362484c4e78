import { sign } from 'node:crypto';
import { type Countersigned, countersignatureBytes } from '@agent-wallet/attestation';
import type { policyV1 } from '@agent-wallet/contracts';
import type { Clock } from '@agent-wallet/kernel';
import { checkSwapMessage } from '@agent-wallet/jupiter/checks';
import { checkMessage, type MessageLimits, MessageRefused } from '@agent-wallet/solana/checks';
import type { BootKey } from '../domain/boot-key.js';
import { SYSTEM_WALLET_IDS } from '../domain/system-wallet.js';
import type { PermitKeys } from '../ports/permit-keys.js';
import type { OpenedKey, OpenedKeys } from './opened-keys.js';
import { signingRefused } from './signing-refused.js';
import { verifyPermit, type VerifiedPermit } from './verify-permit.js';

/** The boot that made signatures. */
interface Countersignature {
  /** The boot's public key, 32 bytes. */
  readonly ephemeralKey: Buffer;
  /** 64 bytes. */
  readonly signature: Buffer;
}

/** Ed25519 signatures over one message, 64 bytes each; the same for the same message. */
interface Signatures {
  /** The agent's; the treasury's for a payout. */
  readonly signature: Buffer;
  /** The sponsor's, when the intent has one. */
  readonly sponsorSignature?: Buffer;
  /** This boot's signature over them. */
  readonly countersignature: Countersignature;
}

/** Dependencies of signing. */
interface SignDependencies {
  readonly opened: OpenedKeys;
  readonly permitKeys: PermitKeys;
  readonly limits: MessageLimits;
  readonly clock: Clock;
  readonly bootKey: BootKey;
}

/**
 * Signs one message under one permit. It reads the bytes itself and trusts no one: not the caller, not the chain, and
 * policy only as far as its signature goes.
 */
export class Sign {
  constructor(private readonly dependencies: SignDependencies) {}

  /**
   * Returns the signatures of all who must sign.
   * @param resolvedAddresses what lookup tables bring into the message; the permit's intent has their hash
   * @throws AppError SIGNING_REFUSED with `data.reason`, SERVICE_UNAVAILABLE; SealBroken
   */
  async execute(
    message: Uint8Array,
    permit: policyV1.Permit | undefined,
    resolvedAddresses: readonly Uint8Array[],
  ): Promise<Signatures> {
    const claims = verifyPermit(permit, message, this.dependencies.permitKeys, this.dependencies.clock.nowMs());
    const key = await this.dependencies.opened.get(claims.agentId);
    if (!key) throw signingRefused('wallet_unknown', 'The agent of the permit has no key.');
    if (claims.intent.wallet !== key.address) {
      throw signingRefused('wallet_mismatch', "The intent's wallet is not the agent's.");
    }
    const payerKey = (await this.#treasuryKey(claims.intent)) ?? key;
    const sponsorKey = await this.#sponsorKey(claims.intent);
    this.#checkMessage(message, claims, resolvedAddresses);
    const signature = sign(null, message, payerKey.privateKey);
    const sponsored = sponsorKey && { sponsorSignature: sign(null, message, sponsorKey.privateKey) };
    const signatures = sponsored ? [signature, sponsored.sponsorSignature] : [signature];
    const { permitId, messageHash } = claims;
    const countersignature = countersign(this.dependencies.bootKey, { permitId, messageHash, signatures });
    return { signature, ...sponsored, countersignature };
  }

  /** Returns the treasury's key for a payout, which goes to the agent's own wallet; for no other action. */
  async #treasuryKey({ action }: VerifiedPermit['intent']): Promise<OpenedKey | undefined> {
    if (action?.$case !== 'payout') return undefined;
    const key = await this.dependencies.opened.get(SYSTEM_WALLET_IDS.treasury);
    if (key?.address !== action.value.treasury) {
      throw signingRefused('treasury_mismatch', "The intent's treasury is not the operator's.");
    }
    return key;
  }

  /** Returns the sponsor's key for an intent that has one. */
  async #sponsorKey({ sponsor }: VerifiedPermit['intent']): Promise<OpenedKey | undefined> {
    if (sponsor === undefined) return undefined;
    const key = await this.dependencies.opened.get(SYSTEM_WALLET_IDS.sponsor);
    if (key?.address !== sponsor) {
      throw signingRefused('sponsor_mismatch', "The intent's sponsor is not the operator's.");
    }
    return key;
  }

  #checkMessage(message: Uint8Array, { intent }: VerifiedPermit, resolvedAddresses: readonly Uint8Array[]): void {
    try {
      this.#checkAction(message, intent, resolvedAddresses);
    } catch (error) {
      if (error instanceof MessageRefused) {
        throw signingRefused(`message_${error.reason}`, error.message, error.cause);
      }
      throw error;
    }
  }

  /**
   * Checks a message. A swap has rules of its own; other messages use no lookup tables, so no request may name their
   * addresses.
   */
  #checkAction(message: Uint8Array, intent: VerifiedPermit['intent'], resolvedAddresses: readonly Uint8Array[]): void {
    if (intent.action?.$case === 'swap') {
      checkSwapMessage(message, intent, resolvedAddresses, this.dependencies.limits);
      return;
    }
    if (resolvedAddresses.length > 0) {
      throw new MessageRefused('lookup_table', 'Addresses of lookup tables are given for a message without them.');
    }
    checkMessage(message, intent, this.dependencies.limits);
  }
}

/** Says that this boot gave the signatures: its key signs permit, message and signatures together. */
function countersign({ publicKey, privateKey }: BootKey, countersigned: Countersigned): Countersignature {
  return { ephemeralKey: publicKey, signature: sign(null, countersignatureBytes(countersigned), privateKey) };
}
