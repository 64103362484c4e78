#!/usr/bin/env node
// Has what the tests of the signer's vaults need: a TPM in software with its tools (`tpm`), a security module in software
// with the native package that speaks to it (`hsm`). `node tools/custody/install.mjs [--check] [tpm] [hsm]`. Installs on
// Debian as root; elsewhere, and with --check, it only looks. Exits with 6 when something is missing and stays so.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isMain, root, run } from '../running/process.mjs';
import { withLock } from './lock.mjs';

const CANNOT_RUN = 6;
const APT_LIMIT_MS = 5 * 60_000;
const BUILD_LIMIT_MS = 3 * 60_000;
const DEBIAN = ['/etc/debian_version', '/usr/bin/apt-get'];

/** Where systems keep SoftHSM's module. */
const SOFTHSM_MODULES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];

/** What is needed for what: how to see whether it is there, and what brings it. */
const NEEDS = {
  tpm: [
    { name: 'swtpm', isThere: () => works('swtpm', '--version'), packages: ['swtpm', 'swtpm-tools'] },
    { name: 'tpm2-tools', isThere: () => works('tpm2_unseal', '--version'), packages: ['tpm2-tools'] },
  ],
  hsm: [
    { name: 'SoftHSM', isThere: () => softHsmModule() && works('softhsm2-util', '--version'), packages: ['softhsm2'] },
    {
      name: 'pkcs11js, built',
      isThere: () => isPkcs11Built(),
      packages: ['g++', 'make', 'python3'],
      build: buildPkcs11,
    },
  ],
};

/** SoftHSM's module on this machine. */
export function softHsmModule() {
  return SOFTHSM_MODULES.find((file) => existsSync(file));
}

function works(program, ...args) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function isPkcs11Built() {
  try {
    createRequire(import.meta.url)('pkcs11js');
    return true;
  } catch {
    return false;
  }
}

/** Installations run no package's scripts, so that a native package is built by itself, by its name. */
async function buildPkcs11() {
  const headers = path.join(path.dirname(process.execPath), '..');
  const env = existsSync(path.join(headers, 'include', 'node', 'node_api.h')) ? { npm_config_nodedir: headers } : {};
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  await must([...npm, 'rebuild', 'pkcs11js', '--ignore-scripts=false'], { limitMs: BUILD_LIMIT_MS, env });
}

async function must(command, options) {
  const { code, output } = await run(command, { capture: true, ...options });
  if (code !== 0) throw new Error(`${command.join(' ')} failed (exit code ${code}):\n${output.slice(-2_000)}`);
}

async function installPackages(names) {
  if (!DEBIAN.every(existsSync)) throw new Error('it installs by itself on Debian only');
  if (process.getuid() !== 0) throw new Error('it installs by itself as root only');
  console.error(`Installing ${names.join(', ')} (apt-get): once.`);
  const options = { limitMs: APT_LIMIT_MS, env: { DEBIAN_FRONTEND: 'noninteractive' } };
  await must(['apt-get', 'update', '-qq'], options);
  await must(['apt-get', 'install', '-qq', '-y', '--no-install-recommends', ...names], options);
}

/** What of these is missing. */
export function missing(kinds) {
  return kinds.flatMap((kind) => NEEDS[kind]).filter(({ isThere }) => !isThere());
}

/** Installs what is missing, while no other process does. Throws one error that says what is still missing, and why. */
export async function install(kinds) {
  if (missing(kinds).length === 0) return;
  await withLock(async () => {
    const wanted = missing(kinds);
    const builds = wanted.filter(({ build }) => build);
    const packages = wanted.filter(({ build }) => !build || !hasCompiler()).flatMap((need) => need.packages);
    if (packages.length > 0) await installPackages(packages);
    for (const { build } of builds) await build();
  }).catch((error) => {
    throw new Error(`${sentence(missing(kinds))} ${error.message}`, { cause: error });
  });
  const still = missing(kinds);
  if (still.length > 0) throw new Error(sentence(still));
}

function hasCompiler() {
  return works('g++', '--version') && works('make', '--version') && works('python3', '--version');
}

function sentence(needs) {
  const names = needs.map(({ name }) => name).join(', ');
  const packages = [...new Set(needs.flatMap((need) => need.packages))].join(' ');
  const build = needs.some((need) => need.build) ? '; then npm rebuild pkcs11js' : '';
  return `Missing: ${names} (Debian: apt-get install ${packages}${build}).`;
}

async function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });
  const kinds = positionals.length > 0 ? positionals : Object.keys(NEEDS);
  const unknown = kinds.find((kind) => !(kind in NEEDS));
  if (unknown) throw new Error(`There is no ${unknown}: say ${Object.keys(NEEDS).join(' or ')}.`);
  try {
    if (!values.check) await install(kinds);
    const lacking = missing(kinds);
    if (lacking.length > 0) throw new Error(sentence(lacking));
    if (kinds.includes('hsm')) console.log(softHsmModule());
    return 0;
  } catch (error) {
    console.error(error.message);
    return CANNOT_RUN;
  }
}

if (isMain(import.meta)) {
  process.chdir(root);
  process.exitCode = await main();
}
