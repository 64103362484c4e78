import { formatAmount, type NamedToken, USD_DECIMALS } from '@agent-wallet/kernel';
import type { MailFact, MailLink } from '../../domain/mail/mail-message.js';
import { type RenderedMail, renderMail } from '../../domain/mail/render-mail.js';
import type { FieldChange, Notice, NoticeNames, Payment, RequestedApproval } from '../../domain/notices/notice.js';
import { quoted, word } from '../../domain/notices/quoted.js';
import type { ConsolePages } from '../../domain/console-pages.js';
import { unlisted } from '../../domain/unlisted.js';
import { operationLines, operationSubject } from './operation-lines.js';

/** The reader of a notice. Only an owner can open an approval's page. */
interface Reader {
  readonly isOwner: boolean;
  readonly pages: ConsolePages;
  /** Tokens that have a symbol on the deployment's network. */
  readonly tokens: readonly NamedToken[];
}

/** A notice as it is mailed. Its subject is fixed for its kind but for a requested operation. */
interface NoticeMail {
  readonly mail: RenderedMail;
  /** The notice in short, for a digest. */
  readonly brief: string;
}

const BRIEF_CHARACTERS = 700;
const SHOWN_ENTRIES = 50;

/** Returns the mail of a notice. */
export function noticeMail(notice: Notice, names: NoticeNames, reader: Reader): NoticeMail {
  const subject = subjectOf(notice, names, reader);
  const facts = [...whoAndWhen(notice, names), ...detailsOf(notice, names)];
  const { text, link } = adviceOf(notice, reader);
  const lines = facts.map(([name, value]) => `${name}: ${value}`);
  const brief = [subject, ...lines, ...(link ? [link.url] : [])].join('; ');
  return {
    mail: renderMail({ subject: `Notice: ${subject}`, heading: `${subject}.`, facts, link, paragraphs: [text] }),
    brief: brief.length > BRIEF_CHARACTERS ? `${brief.slice(0, BRIEF_CHARACTERS)} (cut)` : brief,
  };
}

const REQUESTS: Readonly<Record<string, string>> = {
  policy: 'A change of the policy was proposed',
  claim: 'A claim of the agent was requested',
  passkey: 'A change of passkeys was requested',
  unfreeze: 'The end of a freeze was requested',
  objection: 'An operator overrules the owners of the agent',
  recovery: 'Passkeys are to be replaced by another one',
  member: 'A change of the owners was requested',
  token: 'A token for an app was requested',
};

const ENDED_CLAIMS: Readonly<Record<string, string>> = {
  withdrawn: 'A claim of the agent was cancelled',
  rejected: 'A claim of the agent was taken back',
  superseded: 'A claim of the agent had no effect',
};

function subjectOf({ fact }: Notice, { agent }: NoticeNames, { tokens }: Reader): string {
  switch (fact.kind) {
    case 'approval_requested':
      if (fact.request.operation) return operationSubject(fact.request.operation, agent?.email, tokens);
      return REQUESTS[fact.request.type] ?? 'An approval was requested';
    case 'policy_changed':
      return 'The policy was changed';
    case 'new_recipient':
      return 'The agent paid a new recipient';
    case 'large_spend':
      return 'The agent spent more than 100 USD at once';
    case 'new_network':
      return fact.isLogin ? 'A login came from a new network' : 'A token was refreshed from a new network';
    case 'passkey_changed':
      return fact.action === 'removed' ? 'A passkey was removed' : 'A passkey was added';
    case 'claim_signed':
      return 'A claim of the agent was signed';
    case 'recovery_confirmed':
      return 'The operator confirmed that passkeys are replaced';
    case 'claim_ended':
      return ENDED_CLAIMS[fact.state] ?? 'A claim of the agent ended';
    case 'member_changed':
      return MEMBER_CHANGES[fact.action] ?? 'The owners of the agent changed';
    case 'token_reused':
      return 'A replaced token came again';
    case 'token_opened':
      return 'A token for an app was opened';
    case 'frozen':
      return 'The agent was frozen';
    case 'unfrozen':
      return 'A freeze of the agent ended';
  }
}

const MEMBER_CHANGES: Readonly<Record<string, string>> = {
  invited: 'A person was asked to be an owner of the agent',
  added: 'The agent has a new owner',
  removed: 'An owner of the agent was removed',
};

function whoAndWhen(notice: Notice, names: NoticeNames): MailFact[] {
  const { agent } = names;
  const asker = askerOf(notice, names);
  const network = notice.askedFrom ?? names.operation?.network;
  return [
    ...(agent ? [['Agent', word(agent.email)] as const] : []),
    ...(agent?.address ? [['Wallet', word(agent.address)] as const] : []),
    ['Time', new Date(notice.occurredAtMs).toISOString()],
    ...(asker ? [['Asked by', asker] as const] : []),
    ...(network ? [['From the network', word(network)] as const] : []),
  ];
}

function askerOf({ askedBy, fact }: Notice, { owners }: NoticeNames): string | undefined {
  const ofOwner = (ownerId = '') => (ownerId === '' ? 'an owner' : `the owner ${word(owners.get(ownerId) ?? ownerId)}`);
  if (askedBy?.startsWith('owner ')) return ofOwner(askedBy.slice('owner '.length));
  if (fact.kind === 'approval_requested') {
    if (fact.request.type === 'objection') return 'the operator';
    return fact.request.byAgent ? 'the agent' : ofOwner(fact.request.ownerId);
  }
  if (fact.kind === 'recovery_confirmed') return 'the operator';
  if (fact.kind === 'frozen' || fact.kind === 'unfrozen') return fact.byOwner ? 'an owner' : 'the operator';
  // The thief or the agent: it is not known which.
  if (fact.kind === 'token_reused') return 'a holder of the token';
  if (askedBy === 'agent' || fact.kind === 'new_recipient' || fact.kind === 'large_spend') return 'the agent';
  return undefined;
}

function detailsOf({ fact }: Notice, names: NoticeNames): MailFact[] {
  switch (fact.kind) {
    case 'approval_requested':
      return requestLines(fact.request);
    case 'policy_changed':
      return fact.changes.map(changeLine);
    case 'new_recipient':
      return paymentLines(fact.payment);
    case 'large_spend':
      return [
        ['Value', `${formatAmount(fact.usdMicros, USD_DECIMALS)} USD`],
        ...(names.operation ? [['Action', word(names.operation.action)] as const] : []),
        ['Operation', word(fact.operationId)],
      ];
    case 'new_network':
      return [['From the network', word(fact.network)]];
    case 'claim_signed':
      return [
        ['Owner', word(names.owners.get(fact.ownerId) ?? fact.ownerId)],
        ['Takes effect', new Date(fact.effectiveAtMs).toISOString()],
      ];
    case 'claim_ended':
    case 'passkey_changed':
    case 'member_changed':
      return [['Owner', word(names.owners.get(fact.ownerId) ?? fact.ownerId)]];
    case 'token_reused':
      return [['Effect', 'the sessions of its login have ended']];
    case 'token_opened':
      return [
        ['Name', quoted(fact.name)],
        ['Scopes', fact.scopes.map(word).join(', ')],
        ['Until', new Date(fact.expiresAtMs).toISOString()],
      ];
    case 'frozen':
    case 'unfrozen':
    case 'recovery_confirmed':
      return fact.reason === '' ? [] : [['Reason', quoted(fact.reason)]];
  }
}

function requestLines({ changes, operation, terms, note, operationId, expiresAt }: RequestedApproval): MailFact[] {
  return [
    ...changes.map(changeLine),
    ...(operation ? operationLines(operation) : []),
    ...terms.map(([name, value]) => [word(name), word(value)] as const),
    ...(operationId === undefined ? [] : [['Operation', word(operationId)] as const]),
    ...(note === '' ? [] : [['Note of who asked', quoted(note)] as const]),
    ...(expiresAt === '' ? [] : [['Expires', word(expiresAt)] as const]),
  ];
}

function paymentLines({ operationId, recipient, asset, amount, decimals, memo }: Payment): MailFact[] {
  return [
    ['Recipient', word(recipient)],
    ['Amount', `${formatAmount(amount, decimals)} ${word(asset)}`],
    ...(memo === '' ? [] : [['Memo of the agent', quoted(memo)] as const]),
    ['Operation', word(operationId)],
  ];
}

/**
 * Describes the change of a field. For lists it names the added and removed entries: the same entries twice would hide
 * them.
 */
function changeLine({ field, before, after }: FieldChange): MailFact {
  const [from, to] = [unlisted(field, before), unlisted(field, after)];
  if (from !== undefined || to !== undefined)
    return [word(field), `${from ?? listOf(before)} to ${to ?? listOf(after)}`];
  if (!Array.isArray(before) || !Array.isArray(after)) return [word(field), `${valueOf(before)} to ${valueOf(after)}`];
  const added = after.filter((entry) => !before.includes(entry));
  const removed = before.filter((entry) => !after.includes(entry));
  const parts = [
    `${before.length} to ${after.length} entries`,
    ...(added.length > 0 ? [`added ${entriesOf(added)}`] : []),
    ...(removed.length > 0 ? [`removed ${entriesOf(removed)}`] : []),
  ];
  return [word(field), parts.join('; ')];
}

const listOf = (value: unknown): string => (Array.isArray(value) ? entriesOf(value) : valueOf(value));

function entriesOf(entries: readonly unknown[]): string {
  const shown = entries.slice(0, SHOWN_ENTRIES).map(valueOf).join(', ');
  return entries.length > SHOWN_ENTRIES ? `${shown} and ${entries.length - SHOWN_ENTRIES} more` : shown;
}

function valueOf(value: unknown): string {
  return word(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'));
}

const OBJECT = 'It takes effect when it expires. To prevent that, sign it with your passkey.';
const NOT_YOU = 'If that was not you, log in as an owner and reject it.';
const SIGNED = 'Until then the mailbox of the agent can cancel it, and you can take it back.';

interface Advice {
  readonly text: string;
  readonly link?: MailLink | undefined;
}

function linkTo(url: string | null, label: string): MailLink | undefined {
  return url === null ? undefined : { url, label };
}

/** Advises who reads an agent's mail. */
function cancelling({ claimCancellation }: ConsolePages): Advice {
  const how =
    'POST /connect/start with the purpose cancel_claim mails a code for POST /connect/claims/cancel' +
    (claimCancellation === null ? '' : ', and so does this page');
  const text =
    `If you did not expect that, cancel it before it takes effect: ${how}. A claim that takes effect at once needs the code ` +
    'that was mailed for it: keep that to yourself.';
  return { text, link: linkTo(claimCancellation, 'Cancel the claim') };
}

function adviceOf({ fact }: Notice, { isOwner, pages }: Reader): Advice {
  if (fact.kind === 'claim_signed') return isOwner ? { text: SIGNED } : cancelling(pages);
  if (fact.kind === 'claim_ended') return { text: 'Nothing has changed for the agent.' };
  if (fact.kind === 'recovery_confirmed')
    return { text: `In 72 hours the new passkey replaces all others. ${NOT_YOU}` };
  if (fact.kind === 'approval_requested') {
    if (!isOwner) return cancelling(pages);
    const link = linkTo(pages.approval(fact.approvalId), 'Open the approval');
    const { type } = fact.request;
    if (type === 'objection') return { text: OBJECT, link };
    if (type === 'recovery') return { text: NOT_YOU, link };
    if (link === undefined) return { text: 'If you did not expect that, reject it.' };
    return {
      text: 'Opening this page changes nothing. What you did not expect you can reject there.',
      link,
    };
  }
  if (fact.kind === 'passkey_changed') {
    return { text: 'If that was not you, freeze your agents and write to the operator of this service.' };
  }
  if (fact.kind === 'frozen') return { text: 'Nothing is signed for the agent until the freeze ends.' };
  return {
    text: isOwner
      ? 'If you did not expect that, freeze the agent or end its sessions.'
      : 'If you did not expect that, end all sessions of the agent: POST /connect/start with the purpose evict mails a code for it.',
  };
}
