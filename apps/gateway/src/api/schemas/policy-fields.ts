import {
  type EntryKind,
  type KeyedPolicyField,
  NEW_RECIPIENTS,
  POLICY_FIELD_LIST,
  type POLICY_FIELDS,
  type PolicyFieldKey,
  type PolicyValueOfKind,
} from '@agent-wallet/kernel';
import { z } from 'zod';
import { addressText, integerField, limitField, limitOrNullField, percentOrNullField, uniqueList } from './fields.js';
import { address, hours, percentNumber, usd } from './units.js';

/* The fields of a policy in requests and responses, by their kinds. */

type Fields = typeof POLICY_FIELDS;

/** Schemas of the fields that a request changes, by their public names. */
type RequestShape = {
  readonly [Key in PolicyFieldKey as Fields[Key]['name']]: z.ZodOptional<
    z.ZodType<PolicyValueOfKind[Fields[Key]['kind']]>
  >;
};

/** Values of the fields that a request changes, by their public names. */
export type PolicyChangeInput = z.output<z.ZodObject<RequestShape>>;

/** Parts of an exchange's names, joined by hyphens. */
const marketText = () =>
  z
    .string('must be a string')
    .regex(/^[A-Za-z0-9_.]+(-[A-Za-z0-9_.]+)*$/, 'must be a ticker or a beginning of one')
    .max(100);

const entryText = (of: EntryKind) => (of === 'ticker' ? marketText() : addressText());

/** Returns the schema of a field in a request. Lists replace the whole list. */
function requestField(field: KeyedPolicyField): z.ZodType {
  const { description } = field;
  switch (field.kind) {
    case 'usd':
      return limitField(description);
    case 'optionalUsd':
      return limitOrNullField(description);
    case 'hours':
      return integerField({ min: field.min, max: field.max, unit: 'Hours' }, description);
    case 'flag':
      return z.boolean('must be true or false').optional().meta({ description });
    case 'percent':
      return percentOrNullField(100, description);
    case 'list':
      return uniqueList(entryText(field.of), field.max).optional().meta({ uniqueItems: true, description });
    case 'allowList':
      return uniqueList(entryText(field.of), field.max).nullable().optional().meta({ uniqueItems: true, description });
    case 'treatment':
      return z
        .enum(NEW_RECIPIENTS, `must be one of ${NEW_RECIPIENTS.join(', ')}`)
        .optional()
        .meta({ description });
  }
}

/** Returns the schema of a field in a response. */
function responseField(field: KeyedPolicyField): z.ZodType {
  const { description } = field;
  switch (field.kind) {
    case 'usd':
      return usd(description);
    case 'optionalUsd':
      return usd().nullable().meta({ description });
    case 'hours':
      return hours(description);
    case 'flag':
      return z.boolean().meta({ description });
    case 'percent':
      return percentNumber().nullable().meta({ description });
    case 'list':
      return z.array(entryOf(field.of)).meta({ description });
    case 'allowList':
      return z.array(entryOf(field.of)).nullable().meta({ description });
    case 'treatment':
      return z.enum(NEW_RECIPIENTS).meta({ description });
  }
}

const entryOf = (of: EntryKind) => (of === 'ticker' ? z.string() : address());

const shapeOf = (whose: 'agent' | 'owner', toSchema: (field: KeyedPolicyField) => z.ZodType): z.ZodRawShape =>
  Object.fromEntries(
    POLICY_FIELD_LIST.filter(({ isOwners = false }) => isOwners === (whose === 'owner')).map((field) => [
      field.name,
      toSchema(field),
    ]),
  );

/** Fields of a response: those that an agent may change, and those for the owner alone. */
export const POLICY_SHAPE = shapeOf('agent', responseField);
export const OWNER_POLICY_SHAPE = shapeOf('owner', responseField);

/** Fields that a holder of the agent's token may change. */
export const policyUpdate = z
  .strictObject(shapeOf('agent', requestField) as RequestShape)
  .meta({ id: 'PolicyUpdateRequest' });

/** Fields that the owner may change, also those for the owner alone. */
export const policyChanges = z
  .strictObject({ ...shapeOf('agent', requestField), ...shapeOf('owner', requestField) } as RequestShape)
  .meta({
    id: 'PolicyChanges',
    description: 'Fields of the policy, and four for the owner alone.',
  });
