import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { isOfOwners } from '../src/api/route.js';
import { ROUTES } from '../src/api/routes.js';
import { Browser, FakeOwners, ORIGIN } from './owner-console.js';
import { World } from './world.js';

/** Every field of a body that is an e-mail address, by its route. */
const FIELDS = Object.values(ROUTES).flatMap(({ method, path, body }) => {
  const shape = body instanceof z.ZodObject ? (body.shape as Record<string, z.ZodType>) : {};
  return Object.entries(shape)
    .filter(([name]) => /email$/i.test(name))
    .map(([name, field]): [string, z.ZodType] => [`${method} ${path} ${name}`, field]);
});

describe('an e-mail address of', () => {
  it.each(FIELDS)('%s is read as every other', (_, field) => {
    expect(field.parse(' A{n}n|#1@Grüße.example ')).toBe('a{n}n|#1@xn--gre-6ka8l.example');
    expect(field.safeParse('"a n"@example.com').error?.issues[0]?.message).toBe('must not have quotes before the @');
  });

  it('is a field of all routes that start a login, a claim or an invitation', () => {
    expect(FIELDS.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        ...['POST /connect/start email', 'POST /connect/start ownerEmail', 'POST /owner/login/start email'],
        ...['POST /owner/claims/start agentEmail', 'POST /owner/agents/{agentId}/owners email'],
      ]),
    );
    expect(Object.values(ROUTES).some(isOfOwners)).toBe(true);
  });
});

describe('a person who types', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ ownerOrigin: ORIGIN });
    new FakeOwners(world);
  });
  afterAll(() => world.close());

  it.each([
    ['anna@żółw.example', 'anna@xn--w-uga1v8h.example'],
    ['o`neil@bücher.example', 'o`neil@xn--bcher-kva.example'],
    ['who?@пример.xn--p1ai', 'who?@xn--e1afmkfd.xn--p1ai'],
  ])('%s logs in to the agent of %s, with blanks around what was mailed', async (typed, stored) => {
    const started = await world.client.post('/connect/start', { email: ` ${typed}\n` });
    expect(started.status).toBe(200);
    const { otpId } = started.body.data as { readonly otpId: string };
    const mailed = world.inbox.mails.at(-1)!.text;
    const otpCode = /^(\d{6}) is your login code/m.exec(mailed)![1]!;
    const login = { email: stored, otpId: ` ${otpId.toUpperCase()} `, otpCode: `\t${otpCode}\n` };
    const answer = await world.client.post('/connect/complete', login);
    const session = await world.client.as(answer.body.data.sessionToken as string).post('/connect/validate');
    expect(session.body.data.email).toBe(stored);
  });

  it('reaches one owner login by both forms of a domain', async () => {
    const browser = new Browser(world.client.from('10.9.1.1'));
    await browser.logInByMail(world, 'owner@straße.example');
    expect((await browser.get('/owner/me')).body.data.owner.email).toBe('owner@xn--strae-oqa.example');
  });
});
