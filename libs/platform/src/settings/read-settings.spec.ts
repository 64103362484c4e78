import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { setting } from './kinds.js';
import { readSettings } from './read-settings.js';

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
