import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../running/process.mjs';
import { eventPage, factsOf, readCatalogue, readEventProto, readPage } from './event-tables.mjs';
import { readProto } from './read-proto.mjs';

let catalogue;
const messages = readEventProto();

beforeAll(async () => {
  catalogue = await readCatalogue();
});

/** What the sources of a service, or of the operations that three of them carry out, say. */
function sourceOf(folder) {
  const directory = path.join(root, folder, 'src');
  const files = readdirSync(directory, { recursive: true }).filter((file) => /(?<!\.spec)\.ts$/.test(file));
  return files.map((file) => readFileSync(path.join(directory, file), 'utf8')).join('\n');
}

const OPERATING = ['wallet', 'swap', 'prediction'];
const SERVICES = [...OPERATING, 'gateway', 'policy', 'signer', 'history'];

/** Whether it has operations that another service's operation tells of. */
const emitsEvents = (service) => sourceOf(`apps/${service}`).includes('emitsEvents');

function writersOf(fact) {
  const writes = (folder) => sourceOf(folder).includes(`$case: '${fact}'`);
  const together = writes('libs/operations')
    ? OPERATING.filter(fact === 'messageSigned' ? emitsEvents : () => true)
    : [];
  return new Set([...together, ...SERVICES.filter((service) => writes(`apps/${service}`))]);
}

/** States that need an owner's approval, so that only a service that asks for approvals writes them. */
const APPROVAL_STATUS = /_(AWAITING_APPROVAL|REJECTED_BY_OWNER|CANCELLED)$/;
const asksForApprovals = (service) => sourceOf(`apps/${service}`).includes('OwnerServiceService');

function writersOfStatus(status) {
  const writes = (folder) => new RegExp(`\\b${status}\\b`).test(sourceOf(folder));
  const isOfEngine = writes('libs/operations');
  const mayAsk = (service) => !APPROVAL_STATUS.test(status) || asksForApprovals(service);
  return OPERATING.filter((service) => writes(`apps/${service}`) || (isOfEngine && mayAsk(service)));
}

describe('the catalogue of events', () => {
  it('is on the page as it is', async () => {
    expect(await eventPage()).toBe(readPage());
  });

  it('has a type for every fact and every status, and for nothing else', () => {
    const facts = factsOf(messages).map(({ fact }) => fact);
    expect(Object.keys(catalogue.FACT_TYPES).sort()).toEqual(
      facts.filter((fact) => fact !== 'operationChanged').sort(),
    );
    const [, ...statuses] = messages.get('OperationStatus').fields.map(({ name }) => name);
    expect(Object.keys(catalogue.OPERATION_TYPES)).toEqual(statuses);
  });

  it('gives every type one name of the one form', () => {
    const types = [...Object.values(catalogue.FACT_TYPES), ...Object.values(catalogue.OPERATION_TYPES)].map(
      ({ type }) => type,
    );
    expect(new Set(types).size).toBe(types.length);
    for (const type of types) expect(type).toMatch(/^agentwallet\.[a-z]+\.[a-z]+\.v1$/);
  });

  it('names the services that write each fact, as their sources do', () => {
    for (const { fact } of factsOf(messages)) {
      const types =
        fact === 'operationChanged' ? Object.values(catalogue.OPERATION_TYPES) : [catalogue.FACT_TYPES[fact]];
      const named = new Set(types.flatMap(({ writers }) => writers));
      expect([fact, [...named].sort()]).toEqual([fact, [...writersOf(fact)].sort()]);
    }
  });

  it('names the services that write each state of an operation, as their sources do', () => {
    for (const [status, { writers }] of Object.entries(catalogue.OPERATION_TYPES)) {
      expect([status, [...writers].sort()]).toEqual([status, writersOfStatus(status).sort()]);
    }
  });

  it('names the actions that the services know, except the quiet one', () => {
    const found = OPERATING.flatMap((service) => {
      const source = sourceOf(`apps/${service}`);
      return [...source.matchAll(/readonly action = '(\w+)';|^ +action: '([a-z]+_?[a-z]+)',\n +status:/gm)].map(
        (match) => match[1] ?? match[2],
      );
    });
    expect(Object.keys(catalogue.OPERATION_ACTIONS).sort()).toEqual(found.filter((action) => action !== 'move').sort());
  });
});

describe('one of our protos', () => {
  it('is read with its comments, its oneofs and its nested messages', () => {
    const text = `// One.
message One {
  // Its
  // name.
  repeated string name = 1;
  // A choice.
  oneof choice {
    // A part.
    Part part = 2;
  }
  // Inside.
  message Part {
  }
}`;
    const read = readProto(text);
    expect([...read.keys()]).toEqual(['One', 'One.Part']);
    expect(read.get('One').doc).toBe('One.');
    expect(read.get('One').fields).toMatchObject([
      { name: 'name', number: 1, type: 'repeated string', doc: 'Its name.', in: { kind: 'message' } },
      { name: 'part', number: 2, type: 'Part', doc: 'A part.', in: { kind: 'oneof' } },
    ]);
  });
});
