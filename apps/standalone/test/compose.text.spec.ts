import { consoleSettings } from '@agent-wallet/console/settings';
import { createLogger, type Environment } from '@agent-wallet/platform';
import { signerSettings } from '@agent-wallet/signer';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { provideFiles } from '../src/compose/provide-files.js';
import { SecretFiles } from '../src/compose/secret-files.js';
import { walletsOf } from '../src/infrastructure/environment.js';
import { type Service, SERVICES, usesOf } from '../src/infrastructure/infrastructure.js';
import { readCompose, variablesOf } from './compose/read.js';
import { problemsOf, volumesOf } from './compose/rules.js';
import { COMPOSE_FILE, type ComposeFile, type ComposeService } from './compose/shape.js';
import { READERS, SERVERS } from './harness/settings-readers.js';

/** Uses in a certificate's extended key usage. */
const [SERVER_AUTH, CLIENT_AUTH] = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'];

/** Commands of operators that work as a service's role in its database. */
const READERS_OF: Readonly<Record<string, string>> = { history: 'audit', signer: 'keys' };

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const PAGE = readFileSync(path.join(ROOT, 'docs', 'architecture.md'), 'utf8');
const SANDBOX = variablesOf('compose/sandbox.env');
const WALLET = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';

const file = COMPOSE_FILE.parse(readCompose(SANDBOX));
let directory: string;
let volumesDir: string;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'compose-'));
  volumesDir = path.join(directory, 'volumes');
  const logger = createLogger('compose', 'silent');
  await provideFiles({ keptDir: path.join(directory, 'kept'), volumesDir, given: SANDBOX, logger });
  const wallets = walletsOf({ sponsor: WALLET, fees: WALLET, treasury: WALLET }) as Record<string, string>;
  const files = new SecretFiles(volumesDir);
  for (const service of ['policy', 'wallet']) await files.writeVariables(`${service}/operator-wallets.env`, wallets);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Where a file of a container lies here, by the volume that it mounts there; undefined where it mounts none. */
function hereOf(service: ComposeService, there: string): string | undefined {
  const mount = (service.volumes ?? []).map((volume) => volume.split(':')).find(([, at]) => there.startsWith(`${at}/`));
  return mount && path.join(volumesDir, mount[0]!.replace(/-secrets$/, ''), path.relative(mount[1]!, there));
}

/** What a container is started with, the files named by `--env-file` too. */
function environmentOf(service: ComposeService): Environment {
  const files = (service.command ?? []).flatMap((word) => /^--env-file=(.+)$/.exec(word)?.[1] ?? []);
  const read = files.map((there) => parseEnv(readFileSync(hereOf(service, there)!, 'utf8')));
  return Object.assign({}, ...read, service.environment) as Environment;
}

const membersOf = (network: string) =>
  Object.entries(file.services).flatMap(([name, { networks = [] }]) => (networks.includes(network) ? [name] : []));

/** Arrows of the picture. */
const arrows = (pattern: RegExp) => [...PAGE.matchAll(pattern)].map(([, from, to]) => [from!, to!] as const);
const CALLS = arrows(/^ *(\w+) -->\|gRPC\| (\w+)$/gm);
const OUTWARD = arrows(/^ *(\w+) -->(?:\|reads\|)? (chain|aggregator|exchange|prices|mail)\b/gm);
const EVENTS = arrows(/^ *(\w+) -\.->\|events\| (stream)\b/gm);

describe('the compose file', () => {
  it('keeps our own rules: closed containers, pinned images, nothing that dangles, no secret in plain text', () => {
    expect(problemsOf(file)).toEqual([]);
  });

  it('cannot be started without saying which world is meant', () => {
    expect(() => readCompose({})).toThrow('is not set');
    const { SIGNER_ALLOW_SOFTWARE_VAULT: _, ...real } = SANDBOX;
    const { services } = COMPOSE_FILE.parse(readCompose(real));
    expect(() => signerSettings(environmentOf(services['signer']!))).toThrow('SIGNER_ALLOW_SOFTWARE_VAULT');
  });

  it.each(SERVERS)('sets every required variable of %s', (name) => {
    const service = file.services[name]!;
    const environment = environmentOf(service);
    expect(() => READERS[name](environment)).not.toThrow();
    const paths = Object.values(environment).filter((value) => value?.startsWith('/run/'));
    expect(paths.filter((there) => !existsSync(hereOf(service, there!)!))).toEqual([]);
  });

  it.each([...SERVERS.filter((name) => name !== 'console'), 'ops', 'first-funds', 'operator-wallets'])(
    'gives %s the certificates that it needs, each for one use',
    (name) => {
      const service = file.services[name]!;
      const owner = { 'first-funds': 'ops', 'operator-wallets': 'wallet' }[name] ?? name;
      const uses = name === 'operator-wallets' ? ['client'] : usesOf(owner as Service | 'ops');
      const purposes = { TLS_CERT_PATH: SERVER_AUTH, TLS_CLIENT_CERT_PATH: CLIENT_AUTH };
      const found = Object.entries(purposes).flatMap(([variable, purpose]) => {
        const there = service.environment![variable];
        if (there === undefined) return [];
        const leaf = new X509Certificate(readFileSync(hereOf(service, there)!));
        expect([leaf.keyUsage, leaf.subjectAltName]).toEqual([[purpose], `DNS:${owner}, DNS:localhost`]);
        return [purpose === SERVER_AUTH ? 'server' : 'client'];
      });
      expect(found).toEqual(uses);
      const folders = { server: 'tls', client: 'client-tls' };
      const others = (['server', 'client'] as const).filter((use) => !usesOf(owner as Service | 'ops').includes(use));
      expect(others.filter((use) => existsSync(path.join(volumesDir, owner, folders[use])))).toEqual([]);
    },
  );

  it('runs every service after its migration, and gives each secret to one of them', () => {
    for (const name of SERVICES) {
      expect(Object.keys(file.services[name]!.depends_on!)).toContain(`migrate-${name}`);
      const migration = file.services[`migrate-${name}`]!;
      expect(existsSync(hereOf(migration, migration.environment!['DATABASE_PASSWORD_PATH']!)!)).toBe(true);
    }
    const makers = ['volumes', 'provide', 'operator-wallets'];
    const holders = (volume: string) =>
      Object.keys(file.services).filter(
        (name) => !makers.includes(name) && volumesOf(file.services[name]!).includes(volume),
      );
    for (const volume of Object.keys(file.volumes).filter((name) => name.endsWith('-secrets'))) {
      const owner = volume.replace(/(-migration)?-secrets$/, '');
      // What is the operator's is said in the operator's name.
      const job = owner === 'ops' ? 'first-funds' : `migrate-${owner}`;
      expect([owner, job, READERS_OF[owner]]).toEqual(expect.arrayContaining(holders(volume)));
    }
    expect(holders('kept')).toEqual(['schemas']);
  });
});

describe('the console of the compose file', () => {
  const { gateway, policy, console: server } = file.services;

  it('is at the origin that gateway and policy know, and that links lead to', () => {
    const { OWNER_ORIGIN: origin, OWNER_CONSOLE: isServed } = gateway!.environment!;
    expect(origin).toBe(policy!.environment!['OWNER_ORIGIN']);
    expect(isServed).toBe('true');
    const { port, hostname } = new URL(origin!);
    expect(server!.ports).toEqual([`127.0.0.1:${port}:8081`]);
    // Browsers send the session's cookie to the same site only.
    const { apiUrl, network } = consoleSettings(environmentOf(server!));
    expect(new URL(apiUrl).hostname).toBe(hostname);
    expect(gateway!.ports).toEqual([`127.0.0.1:${new URL(apiUrl).port}:8080`]);
    expect(network).toBe(gateway!.environment!['SOLANA_NETWORK']);
  });

  it('holds no secret, and offers test money in a sandbox alone', () => {
    expect(volumesOf(server!)).toEqual([]);
    expect(consoleSettings(environmentOf(server!)).sandboxAdminUrl).toBe('http://sandbox:8905');
    const { SANDBOX_ADMIN_URL: _, ...real } = SANDBOX;
    const { services } = COMPOSE_FILE.parse(readCompose({ ...real, PUBLIC_URL: 'https://wallet.example.com' }));
    expect(consoleSettings(environmentOf(services['console']!))).toMatchObject({
      apiUrl: 'https://wallet.example.com',
      sandboxAdminUrl: undefined,
    });
  });
});

describe('its networks', () => {
  it('join each callee with its callers', () => {
    const callees = new Set(CALLS.map(([, to]) => to));
    for (const callee of callees) {
      const callers = CALLS.filter(([, to]) => to === callee).map(([from]) => from);
      const jobs = { signer: ['operator-wallets'], prediction: ['first-funds'] }[callee] ?? [];
      expect(membersOf(`to-${callee}`).sort()).toEqual([...callers, callee, ...jobs].sort());
    }
  });

  it('lead outside only for services that call an upstream', () => {
    const outward = new Set(OUTWARD.map(([from]) => from));
    expect(membersOf('outside').sort()).toEqual([...outward, 'operator-wallets', 'sandbox'].sort());
    const open = Object.keys(file.networks).filter((name) => !file.networks[name]!.internal);
    expect(open.sort()).toEqual(['outside', 'page', 'screens']);
    expect(membersOf('page')).toEqual(['console', 'sandbox']);
    expect(file.services['console']!.networks).toEqual(['page']);
    for (const name of ['signer', 'history', 'postgres', 'kafka', 'collector']) {
      expect(file.services[name]!.networks!.filter((network) => open.includes(network))).toEqual([]);
    }
  });

  it('bring commands for a database to that alone, with the password of its role', () => {
    for (const [role, name] of Object.entries(READERS_OF)) {
      const service = file.services[name]!;
      expect(service.networks).toEqual(['database']);
      expect(service.environment).toEqual({ DATABASE_URL: `postgres://${role}@postgres:5432/agent_wallet` });
      const [, password] = /\$\(cat ([^)]+)\)/.exec(service.entrypoint!.join(' '))!;
      expect(existsSync(hereOf(service, password!)!)).toBe(true);
    }
  });

  it('bring events to those who write or read them', () => {
    const members = [...EVENTS.map(([from]) => from), 'history', 'kafka', 'topics'];
    expect(membersOf('events').sort()).toEqual([...new Set(members)].sort());
  });
});

describe('its jobs', () => {
  it('name programs that are there', () => {
    const named = Object.values(file.services).flatMap(({ command = [], entrypoint = [] }) =>
      [...command, ...entrypoint].flatMap((text) => text.match(/\bapps\/[\w/-]+\.js\b/g) ?? []),
    );
    const sourceOf = (program: string) => program.replace(/\/(dist|bundle)\//, '/src/').replace(/js$/, 'ts');
    expect(named.length).toBeGreaterThan(18);
    expect(named.filter((program) => !existsSync(path.join(ROOT, sourceOf(program))))).toEqual([]);
  });
});

/** Only to see that the rules bite. */
describe('a compose file that is', () => {
  const broken = (name: string, change: Partial<ComposeService>): ComposeFile => ({
    ...file,
    services: { ...file.services, [name]: { ...file.services[name]!, ...change } },
  });

  it.each<[string, string, Partial<ComposeService>]>([
    ['run as root', 'wallet', { user: '0:0' }],
    ['run with a moving image', 'postgres', { image: 'postgres:18' }],
    ['open on every interface', 'postgres', { ports: ['5432:5432'] }],
    ['given a password', 'wallet', { environment: { DATABASE_URL: 'postgres://wallet:hush@postgres/db' } }],
    ['waiting in vain', 'wallet', { depends_on: { collector: { condition: 'service_healthy' } } }],
    ['ending unnoticed', 'gateway', { depends_on: {} }],
    ['mounting what is not there', 'wallet', { volumes: ['nothing:/data'] }],
  ])('%s is found', (_, name, change) => {
    expect(problemsOf(broken(name, change))).not.toEqual([]);
  });
});
