import { newId } from '@agent-wallet/kernel';
import { Authenticator } from '@agent-wallet/testing';
import { type Asked, ORIGIN, RecordedAgent, termsOf } from './recorded-agent.js';

/** An owner with one passkey. */
export interface RecordedOwner {
  readonly ownerId: string;
  readonly authenticator: Authenticator;
}

const NOTE = { operator: 'alice', reason: 'the passkey is lost' };

/** The log of an agent with several owners, of what operators do about them, and of recoveries, as policy writes it. */
export class RecordedOwners extends RecordedAgent {
  readonly one: RecordedOwner = { ownerId: this.ownerId, authenticator: this.first };
  #wasReleased = false;

  constructor() {
    super();
    this.changePolicy(['newRecipients', '"allow"', '"approve"'], 'agent');
    this.changePolicy(['approveAboveInUsd', 'null', '20'], 'agent');
  }

  newOwner(): RecordedOwner {
    const owner = { ownerId: newId(), authenticator: new Authenticator(ORIGIN) };
    this.addPasskey(owner.authenticator, owner.ownerId);
    return owner;
  }

  changeMember(action: 'invited' | 'added' | 'removed', { ownerId }: RecordedOwner): void {
    this.write({ $case: 'memberChanged', value: { ownerId, role: 'owner', action } });
  }

  /** Has an owner sign that a person may join. */
  invite(member: RecordedOwner, by = this.one): Asked {
    const asked = this.ask('member', { action: 'add', member: member.ownerId, email: 'b@example.com' }, by.ownerId);
    this.changeMember('invited', member);
    this.vote(by.authenticator, asked, { outcome: 'approved' });
    return asked;
  }

  join(member: RecordedOwner, by = this.one): void {
    const asked = this.invite(member, by);
    this.changeMember('added', member);
    this.vote(member.authenticator, { ...asked, ownerId: member.ownerId });
  }

  leave(member: RecordedOwner, by = this.one): void {
    const terms = { action: 'remove', member: member.ownerId, email: 'b@example.com' };
    const effect = () => this.changeMember('removed', member);
    this.approve(by.authenticator, 'member', terms, { ownerId: by.ownerId, effect });
  }

  overrule(act: 'release' | 'unfreeze'): Asked {
    return this.ask('objection', { act, ...NOTE });
  }

  /** Carries out an act of the operator, as after its time. */
  carryOut(act: 'release' | 'unfreeze', asked: Asked, owners: readonly RecordedOwner[] = [this.one]): void {
    if (act === 'release') {
      for (const owner of owners) this.changeMember('removed', owner);
      this.#dropApprovals();
    }
    const value = { ...NOTE, action: act, operationId: '', approvalId: asked.approvalId };
    this.write({ $case: 'operatorActed', value });
    this.close(asked, 'expired');
  }

  /** Takes out of the policy what an owner would be asked about. The second release finds none of it. */
  #dropApprovals(): void {
    if (!this.#wasReleased) {
      this.changePolicy(['newRecipients', '"approve"', '"deny"'], '');
      this.changePolicy(['approveAboveInUsd', '20', 'null'], '');
    }
    this.#wasReleased = true;
  }

  /** Releases the agent. @param hours from the request to the act */
  release(hours = 72, owners?: readonly RecordedOwner[]): void {
    const asked = this.overrule('release');
    this.wait(hours);
    this.carryOut('release', asked, owners);
  }

  recover(found: Authenticator): Asked {
    const { credentialId, coseKey } = termsOf('add', found);
    return this.ask('recovery', { credentialId, coseKey });
  }

  confirm({ approvalId, subject }: Asked): void {
    const value = { ...NOTE, action: 'confirm_recovery', operationId: '', approvalId };
    this.write({ $case: 'operatorActed', value }, subject);
  }

  /** Replaces both passkeys of the owner. */
  replacePasskeys(found: Authenticator): void {
    this.addPasskey(found);
    for (const lost of [this.first, this.second]) {
      const key = {
        ...{ ownerId: this.ownerId, credentialId: Buffer.from(lost.credentialId), coseKey: lost.coseKey() },
        ...{ action: 'removed', attestationObject: Buffer.alloc(0), clientDataJson: Buffer.alloc(0) },
      };
      this.write({ $case: 'passkeyChanged', value: key }, this.ownerId);
    }
  }
}
