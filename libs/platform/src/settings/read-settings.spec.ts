import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import type { z } from 'zod';
import { setting } from './kinds.js';
import { readSettings } from './read-settings.js';
import { SERVER_VARIABLES, serverSettings, SERVICE_VARIABLES, serviceSettings } from './service-settings.js';
import { CLIENT_TLS_VARIABLES, clientTls } from './tls-settings.js';

const shape = {
  PORT: setting.integer({ min: 0, max: 65_535 }).default(8080),
  DATABASE_URL: setting.postgres(),
  API_KEY: setting.secret().optional(),
};
const DATABASE_URL = 'postgres://me:p%40ss@db:5433/main';

describe('readSettings', () => {
  it('takes defaults for what is absent or empty', () => {
    expect(readSettings(shape, { DATABASE_URL, PORT: '' }).PORT).toBe(8080);
  });

  it('takes a database URL apart', () => {
    const { DATABASE_URL: connection } = readSettings(shape, { DATABASE_URL });
    expect(connection).toMatchObject({ host: 'db', port: 5433, user: 'me', database: 'main', tls: false });
    expect(connection.password.reveal()).toBe('p@ss');
  });

  it('names every variable that is wrong and prints no value', () => {
    const read = () => readSettings(shape, { PORT: '70000', API_KEY: 'hush', DATABASE_URL: 'mysql://u:hush@h/d' });
    expect(read).toThrow('PORT: must be between 0 and 65535');
    expect(read).toThrow('DATABASE_URL: must be postgres://');
    expect(read).not.toThrow('hush');
  });

  it('says which variable is missing', () => {
    expect(() => readSettings(shape, {})).toThrow('DATABASE_URL is required');
  });

  it('prints a secret as [secret]', () => {
    const settings = readSettings(shape, { DATABASE_URL, API_KEY: 'hush' });
    expect(inspect(settings, { depth: 5 }) + JSON.stringify(settings)).not.toMatch(/hush|p@ss/);
  });
});

describe('the certificates of a program', () => {
  const NEEDED = {
    GRPC_ADDRESS: '127.0.0.1:0',
    DATABASE_URL: 'postgres://wallet:secret@127.0.0.1/db',
    TLS_CA_PATH: '/ca.pem',
    TLS_CERT_PATH: '/server.pem',
    TLS_KEY_PATH: '/server.key',
  };
  const CALLING = { TLS_CLIENT_CERT_PATH: '/client.pem', TLS_CLIENT_KEY_PATH: '/client.key' };
  const server = { certPath: '/server.pem', keyPath: '/server.key' };
  const client = { certPath: '/client.pem', keyPath: '/client.key' };

  it('are two for a service that calls others, and one for a service that does not, or a program that only calls', () => {
    const both = readSettings(SERVICE_VARIABLES, { ...NEEDED, ...CALLING });
    expect(serviceSettings(both).tls).toEqual({ caPath: '/ca.pem', server, client });
    expect(serverSettings(readSettings(SERVER_VARIABLES, NEEDED)).tls).toEqual({ caPath: '/ca.pem', server });
    const caller = readSettings(CLIENT_TLS_VARIABLES, { TLS_CA_PATH: '/ca.pem', ...CALLING });
    expect(clientTls(caller)).toEqual({ caPath: '/ca.pem', client });
  });

  it.each([
    ['TLS_CERT_PATH', SERVER_VARIABLES],
    ['TLS_KEY_PATH', SERVICE_VARIABLES],
    ['TLS_CLIENT_CERT_PATH', SERVICE_VARIABLES],
    ['TLS_CLIENT_KEY_PATH', CLIENT_TLS_VARIABLES],
  ])('are asked for by name: %s', (name, variables) => {
    const shape: Readonly<Record<string, z.ZodType>> = variables;
    expect(() => readSettings(shape, { ...NEEDED, ...CALLING, [name]: undefined })).toThrow(`${name} is required`);
  });
});
