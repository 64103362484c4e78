import { policyV1 } from '@agent-wallet/client/messages';
import {
  type KeyedPolicyField,
  type NewRecipients,
  POLICY_FIELD_LIST,
  type POLICY_FIELDS,
  type PolicyFieldKey,
  type PolicyValues,
} from '@agent-wallet/kernel';

/* The fields of a policy on the wire, by their kinds. */

type Fields = typeof POLICY_FIELDS;

/** Name of a field in a change: null is sent as an empty message, whose name has no unit. */
type ChangeName<Key extends PolicyFieldKey> = Key extends PolicyFieldKey
  ? NameWithoutUnit<Key, Fields[Key]['kind']>
  : never;

type NameWithoutUnit<Key extends string, Kind> = Kind extends 'optionalUsd'
  ? WithoutUnit<Key, 'UsdMicros'>
  : Kind extends 'percent'
    ? WithoutUnit<Key, 'Bps'>
    : Key;

type WithoutUnit<Key extends string, Unit extends string> = Key extends `${infer Name}${Unit}` ? Name : never;

type AgentKey = { [Key in PolicyFieldKey]: Fields[Key] extends { isOwners: true } ? never : Key }[PolicyFieldKey];

/** The fields of a policy in its message. */
export type PolicyFieldsMessage = Pick<policyV1.Policy, PolicyFieldKey>;

/** The fields of a change that an owner may sign. Undefined fields stay. */
export type PolicyChangeMessage = Pick<policyV1.PolicyChangeRequest, ChangeName<PolicyFieldKey>>;

/** The fields of a change that an agent may make. */
export type AgentPolicyChangeMessage = Pick<policyV1.UpdatePolicyRequest, ChangeName<AgentKey>>;

const { NewRecipients: Wire } = policyV1;

const TREATMENTS: Readonly<Record<NewRecipients, policyV1.NewRecipients>> = {
  allow: Wire.NEW_RECIPIENTS_ALLOW,
  approve: Wire.NEW_RECIPIENTS_APPROVE,
  deny: Wire.NEW_RECIPIENTS_DENY,
};

/** Returns the fields of a policy's message. */
export function policyFieldsMessage(policy: PolicyValues): PolicyFieldsMessage {
  const fields = POLICY_FIELD_LIST.map(({ key, kind }) => {
    const value = policy[key];
    if (value === null) return [key, undefined];
    if (kind === 'treatment') return [key, TREATMENTS[value as NewRecipients]];
    if (kind === 'list') return [key, [...(value as readonly string[])]];
    return [key, kind === 'allowList' ? { entries: [...(value as readonly string[])] } : value];
  });
  return Object.fromEntries(fields) as PolicyFieldsMessage;
}

/** Reads the fields of a policy's message. @throws TypeError for an unknown treatment of recipients */
export function readPolicyFields(message: PolicyFieldsMessage): PolicyValues {
  const fields = POLICY_FIELD_LIST.map(({ key, kind }) => {
    const value = message[key];
    if (kind === 'treatment') return [key, readTreatment(value)];
    return [key, kind === 'allowList' ? ((value as policyV1.AllowList | undefined)?.entries ?? null) : (value ?? null)];
  });
  return Object.fromEntries(fields) as PolicyValues;
}

/** Returns the fields of a change's message. */
export function policyChangeMessage(change: Partial<PolicyValues>): PolicyChangeMessage & AgentPolicyChangeMessage {
  const fields = POLICY_FIELD_LIST.map((field) => {
    const value = change[field.key];
    return [changeName(field), value === undefined ? undefined : sent(field, value)];
  });
  return Object.fromEntries(fields) as PolicyChangeMessage & AgentPolicyChangeMessage;
}

function sent({ kind }: KeyedPolicyField, value: unknown): unknown {
  switch (kind) {
    case 'optionalUsd':
      return { usdMicros: value ?? undefined };
    case 'percent':
      return { bps: value ?? undefined };
    case 'list':
      return { entries: value };
    case 'allowList':
      return { list: value === null ? undefined : { entries: value } };
    case 'treatment':
      return TREATMENTS[value as NewRecipients];
    default:
      return value;
  }
}

/** Reads the fields that a change sets. @throws TypeError for an unknown treatment of recipients */
export function readPolicyChange(message: PolicyChangeMessage | AgentPolicyChangeMessage): Partial<PolicyValues> {
  const sentFields = message as unknown as Readonly<Record<string, unknown>>;
  const fields = POLICY_FIELD_LIST.filter((field) => sentFields[changeName(field)] !== undefined).map((field) => [
    field.key,
    received(field, sentFields[changeName(field)]),
  ]);
  return Object.fromEntries(fields) as Partial<PolicyValues>;
}

function received({ kind }: KeyedPolicyField, value: unknown): unknown {
  switch (kind) {
    case 'optionalUsd':
      return (value as policyV1.OptionalAmount).usdMicros ?? null;
    case 'percent':
      return (value as policyV1.OptionalBps).bps ?? null;
    case 'list':
      return (value as policyV1.AllowList).entries;
    case 'allowList':
      return (value as policyV1.OptionalAllowList).list?.entries ?? null;
    case 'treatment':
      return readTreatment(value);
    default:
      return value;
  }
}

function readTreatment(sentTreatment: unknown): NewRecipients {
  const found = Object.entries(TREATMENTS).find(([, wire]) => wire === sentTreatment);
  if (!found) throw new TypeError(`${String(sentTreatment)} is an unknown treatment of new recipients`);
  return found[0] as NewRecipients;
}

function changeName({ key, kind }: KeyedPolicyField): string {
  if (kind === 'optionalUsd') return key.replace(/UsdMicros$/, '');
  return kind === 'percent' ? key.replace(/Bps$/, '') : key;
}
