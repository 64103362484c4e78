import { existsSync } from 'node:fs';
import path from 'node:path';
import { DEPLOY } from './read.js';
import type { ComposeFile, ComposeService } from './shape.js';

/** Hands the volumes over: no other service may run as root. */
const ROOT = 'volumes';

/** Have no tool for a probe, and no service waits for them. */
const UNPROBED = ['collector'];

/** Started by people, one by one. */
const OF_PEOPLE = 'ops';

const OURS = /^agent-wallet(-sandbox)?:dev$/;
const PINNED = /^[a-z]+(\/[a-z-]+)?:v?\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;

/** Whether it is run to its end. */
const isJob = ({ restart }: ComposeService): boolean => restart !== 'unless-stopped';

/** What is wrong with the file by our own rules; empty when nothing is. */
export function problemsOf(file: ComposeFile): string[] {
  const services = Object.entries(file.services);
  return [
    ...services.flatMap(([name, service]) => [
      ...closedProblems(name, service),
      ...lifeProblems(name, service),
      ...plainSecrets(name, service),
      ...dependencyProblems([name, service], file),
      ...referenceProblems([name, service], file),
    ]),
    ...unusedProblems(file),
    ...unawaitedProblems(file),
  ];
}

function closedProblems(name: string, service: ComposeService): string[] {
  const problems: string[] = [];
  const [uid] = service.user.split(':');
  if (!/^\d+$/.test(uid!) || (uid === '0') !== (name === ROOT)) problems.push('runs as a user that it should not be');
  if (service.cap_drop.join() !== 'ALL') problems.push('keeps capabilities');
  if (service.cap_add && name !== ROOT) problems.push('gets capabilities');
  if (!service.security_opt.includes('no-new-privileges:true')) problems.push('may gain rights');
  if (!OURS.test(service.image) && !PINNED.test(service.image)) problems.push('has an image that is not pinned');
  for (const port of service.ports ?? []) {
    if (!port.startsWith('127.0.0.1:')) problems.push(`publishes ${port} on every interface`);
  }
  return problems.map((what) => `${name} ${what}`);
}

function lifeProblems(name: string, service: ComposeService): string[] {
  if (isJob(service)) return [];
  return service.healthcheck || UNPROBED.includes(name) ? [] : [`${name} has no health check`];
}

function plainSecrets(name: string, service: ComposeService): string[] {
  const named = Object.entries(service.environment ?? {}).filter(
    ([variable, value]) => value !== '' && /PASSWORD$|SECRET|PEPPER|API_KEY$|TOKEN$/.test(variable),
  );
  const text = JSON.stringify(service);
  const held = /PRIVATE KEY|[a-z]+:\/\/[^/@\s":]+:[^/@\s"]+@/.test(text) ? ['a secret'] : [];
  return [...named.map(([variable]) => variable), ...held].map((what) => `${name} has ${what} in plain text`);
}

function dependencyProblems([name, service]: [string, ComposeService], { services }: ComposeFile): string[] {
  return Object.entries(service.depends_on ?? {}).flatMap(([other, { condition, required = true }]) => {
    const depended = services[other];
    if (!depended) return [`${name} waits for ${other}, which is not there`];
    if (required && depended.profiles) return [`${name} needs ${other}, which only a profile has`];
    const canBe = condition === 'service_healthy' ? depended.healthcheck : isJob(depended);
    return canBe ? [] : [`${name} waits for ${other} in vain`];
  });
}

function referenceProblems([name, service]: [string, ComposeService], file: ComposeFile): string[] {
  const problems: string[] = [];
  const known = (kind: 'networks' | 'volumes' | 'configs', which: string) => Object.hasOwn(file[kind], which);
  for (const network of service.networks ?? []) if (!known('networks', network)) problems.push(`network ${network}`);
  for (const { source } of service.configs ?? []) if (!known('configs', source)) problems.push(`config ${source}`);
  for (const volume of volumesOf(service)) {
    const isThere = volume.startsWith('./') ? existsSync(path.join(DEPLOY, volume)) : known('volumes', volume);
    if (!isThere) problems.push(`volume ${volume}`);
  }
  return problems.map((what) => `${name} uses the ${what}, which is not there`);
}

/** `up --wait` takes a job that has ended for one that has failed, unless another service waits for its end. */
function unawaitedProblems({ services }: ComposeFile): string[] {
  const awaited = new Set(Object.values(services).flatMap(({ depends_on = {} }) => Object.keys(depends_on)));
  const jobs = Object.entries(services).filter(
    ([, service]) => isJob(service) && !service.profiles?.includes(OF_PEOPLE),
  );
  return jobs.filter(([name]) => !awaited.has(name)).map(([name]) => `no service waits for the end of ${name}`);
}

/** The names or paths of what it mounts. */
export function volumesOf(service: ComposeService): string[] {
  return (service.volumes ?? []).map((volume) => volume.split(':')[0]!);
}

function unusedProblems({ services, networks, volumes, configs }: ComposeFile): string[] {
  const all = Object.values(services);
  const used = new Set([
    ...all.flatMap((service) => service.networks ?? []),
    ...all.flatMap(volumesOf),
    ...all.flatMap((service) => (service.configs ?? []).map(({ source }) => source)),
  ]);
  const declared = [networks, volumes, configs].flatMap((each) => Object.keys(each));
  const missing = Object.values(configs).filter(({ file }) => !existsSync(path.join(DEPLOY, file)));
  return [
    ...declared.filter((name) => !used.has(name)).map((name) => `no service uses ${name}`),
    ...missing.map(({ file }) => `there is no ${file}`),
  ];
}
