import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readProto } from './read-proto.mjs';

const ROOT = path.join(import.meta.dirname, '../..');

/** Parts of what the exchange answers: the reader drops an answer that is too large (response-size.ts). */
const OF_THE_EXCHANGE = [
  'prediction.v1.Event.settlement_sources',
  'prediction.v1.GetEventResponse.markets',
  'prediction.v1.ListCategoriesResponse.categories',
  'prediction.v1.ListCategoriesResponse.Category.tags',
  'prediction.v1.ListSportsResponse.sports',
  'prediction.v1.ListSportsResponse.ordering',
  'prediction.v1.ListSportsResponse.Competition.scopes',
  'prediction.v1.ListSportsResponse.Sport.scopes',
  'prediction.v1.ListSportsResponse.Sport.competitions',
  'prediction.v1.Milestone.related_event_tickers',
  'prediction.v1.Milestone.primary_event_tickers',
  'prediction.v1.Orderbook.yes',
  'prediction.v1.Orderbook.no',
  'prediction.v1.Series.categories',
  'prediction.v1.Series.tags',
  'prediction.v1.Series.settlement_sources',
];

/** Lists without a number, and what bounds them. */
const BOUNDED_OTHERWISE = new Map([
  ...OF_THE_EXCHANGE.map((name) => [name, 'size of an answer of the exchange']),
  ['policy.v1.VoidOperationsRequest.ended_token_ids', 'tokens of one agent; rejecting them would leave them alive'],
  ['prediction.v1.ReconcileResponse.accounts', 'kinds of accounts'],
  ['signer.v1.AttestResponse.permit_keys', 'a setting of the signer'],
  ['signer.v1.DataKeyVersion.seals', 'vaults of the signer'],
  ['signer.v1.DescribeKeysResponse.versions', 'data keys, which an operator makes and retires'],
  ['signer.v1.DescribeKeysResponse.replicas', 'replicas of the signer'],
  ['signer.v1.Replica.versions', 'data keys, which an operator makes and retires'],
  ['signer.v1.RetireDataKeysResponse.versions', 'data keys, which an operator makes and retires'],
  ['signer.v1.SignRequest.resolved_addresses', 'accounts of a message, which the signer checks'],
  ['wallet.v1.DryRun.balance_changes', 'accounts of one transaction'],
  ['wallet.v1.GetAttestationResponse.replicas', 'replicas of the signer'],
  ['wallet.v1.TokenSafety.unsafe_extensions', 'kinds of extensions'],
]);

const BOUND = /\bat most\b|\b[\d,]+ to [\d,]+\b|\bboth tokens\b/i;

const PROTOS = path.join(ROOT, 'proto/agentwallet');
const files = readdirSync(PROTOS, { recursive: true })
  .filter((file) => file.endsWith('.proto'))
  .map((file) => {
    const text = readFileSync(path.join(PROTOS, file), 'utf8');
    return { text, scope: /^package ([\w.]+);/m.exec(text)[1] };
  });

/** Messages by their full names. */
const messages = new Map(
  files.flatMap(({ text, scope }) => [...readProto(text)].map(([name, message]) => [`${scope}.${name}`, message])),
);

/** Returns the full name of a type named in a scope, searched outwards as protoc does; undefined for a scalar. */
function resolve(type, scope) {
  const parts = scope.split('.');
  for (let length = parts.length; length >= 0; length -= 1) {
    const name = [...parts.slice(0, length), type].join('.');
    if (messages.has(name)) return name;
  }
  return undefined;
}

/** Returns the names of all messages that requests and responses are made of. */
function messagesOfMethods() {
  const waiting = files.flatMap(({ text, scope }) =>
    [...text.matchAll(/rpc \w+\((?:stream )?([\w.]+)\) returns \((?:stream )?([\w.]+)\)/g)]
      .flatMap(([, request, response]) => [request, response])
      .map((type) => resolve(type, scope)),
  );
  const found = new Set();
  while (waiting.length > 0) {
    const name = waiting.pop();
    if (!name || found.has(name)) continue;
    found.add(name);
    for (const { type } of messages.get(name).fields) waiting.push(resolve(type.split(' ').at(-1), name));
  }
  return [...found].toSorted();
}

const lists = messagesOfMethods().flatMap((name) =>
  messages
    .get(name)
    .fields.filter(({ type }) => type.startsWith('repeated '))
    .map((field) => ({ name: `${name}.${field.name}`.replace('agentwallet.', ''), doc: field.doc })),
);

describe('a list of a request or a response', () => {
  it('says how long it may be, or is named here with what bounds it', () => {
    const unbounded = lists.filter(({ name, doc }) => !BOUND.test(doc) && !BOUNDED_OTHERWISE.has(name));
    expect(unbounded.map(({ name }) => name)).toEqual([]);
  });

  it('is named here only when it exists and its comment has no number', () => {
    const without = new Set(lists.filter(({ doc }) => !BOUND.test(doc)).map(({ name }) => name));
    expect([...BOUNDED_OTHERWISE.keys()].filter((name) => !without.has(name))).toEqual([]);
  });

  it('is found in requests and in responses', () => {
    const names = lists.map(({ name }) => name);
    expect(names).toContain('history.v1.FindChangesRequest.agent_ids');
    expect(names).toContain('prediction.v1.ListOrdersResponse.orders');
  });
});
