// The load: a pod that agents live in, and that verifies itself at its end.
import { setTimeout as sleep } from 'node:timers/promises';
import { testLedger } from './ledger.mjs';
import { byLine } from './cluster.mjs';
import { phaseOf, startPod, trialPod } from './trial-pods.mjs';

const READY_WITHIN_MS = 180_000;
const VERIFIED_WITHIN_MS = 900_000;
const POLL_EVERY_MS = 500;
const REPORT_EVERY_MS = 20_000;

/** A load under way. */
export class Load {
  lost = [];
  secrets = { tokens: [], otps: [] };
  result;
  latest = {};
  #failure;
  #isReady = false;
  #reportedAtMs = 0;

  constructor(cluster, name) {
    Object.assign(this, { cluster, name });
  }

  /** Resolves once agents act. */
  async start({ agents, pauseMs, seed }) {
    const file = 'apps/standalone/dist/load/main.js';
    const where = ['--api', 'http://gateway-public', '--admin', 'http://sandbox:8905', '--seconds', '7200'];
    const files = ['--stop-file', '/data/stop', '--secrets-file', '/data/secrets.json'];
    const sizes = ['--agents', `${agents}`, '--pause-ms', `${pauseMs}`, '--seed', `${seed}`];
    const labels = { 'app.kubernetes.io/name': 'load', 'app.kubernetes.io/component': 'trial' };
    await startPod(this.cluster, trialPod({ name: this.name, labels, args: [file, ...where, ...files, ...sizes] }));
    this.#follow();
    await this.#until(() => this.#isReady, READY_WITHIN_MS);
    const read = ['node', '-p', "require('fs').readFileSync('/data/secrets.json', 'utf8')"];
    this.secrets = JSON.parse(await this.cluster.exec({ pod: this.name, command: read }));
    return this;
  }

  /** Lets agents finish what they have begun, and waits for what the load found. */
  async finish() {
    const stop = ['node', '-e', "require('fs').writeFileSync('/data/stop', '')"];
    await this.cluster.exec({ pod: this.name, command: stop });
    await this.#until(() => this.result, VERIFIED_WITHIN_MS);
    await phaseOf(this.cluster, this.name, ['Succeeded', 'Failed'], READY_WITHIN_MS);
    return this.result;
  }

  #follow() {
    const seen = new Set();
    const onLine = (line) => {
      if (line === '' || seen.has(line)) return;
      seen.add(line);
      this.#note(line);
    };
    const again = () => !this.result && setTimeout(() => this.#follow(), POLL_EVERY_MS).unref();
    this.cluster.follow(this.cluster.at(`pods/${this.name}/log?follow=true`), byLine(onLine), again);
  }

  #note(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.#failure ??= line;
      return;
    }
    const { kind, ...rest } = message;
    if (kind === 'ready') this.#isReady = true;
    else if (kind === 'failed') this.#failure = rest.why;
    else if (kind === 'result') this.result = rest;
    else if (kind === 'lost') {
      this.lost.push(rest);
      console.log(`        … ${rest.at} ${rest.what} was lost: ${rest.why}`);
    }
    if (kind !== 'progress') return;
    this.latest = rest;
    if (performance.now() - this.#reportedAtMs < REPORT_EVERY_MS) return;
    this.#reportedAtMs = performance.now();
    console.log(`        … ${rest.requests} requests, ${rest.lost} lost, ${rest.confirmed} operations confirmed`);
  }

  async #until(isSo, withinMs) {
    const untilMs = performance.now() + withinMs;
    while (!isSo()) {
      if (this.#failure) throw new Error(`the load failed: ${this.#failure}`);
      if (performance.now() > untilMs) throw new Error('the load has not answered in time');
      await sleep(POLL_EVERY_MS);
    }
  }
}

/** Runs something under load, then adds what the load and the ledger found. `mayLose`: requests may fail. */
export async function underLoad({ cluster, table, options, secrets }, { when, seed, mayLose }, work) {
  const load = new Load(cluster, `load-${seed}`);
  const startedAtMs = performance.now();
  await table.check(`${when}: ${options.agents} agents log in by mail code`, async () => {
    await load.start({ agents: options.agents, pauseMs: options['pause-ms'], seed });
    return { ok: true, seen: `seed ${seed}` };
  });
  secrets.push(...load.secrets.tokens, ...load.secrets.otps);
  await work(load);
  const acted = (performance.now() - startedAtMs) / 1_000;
  let result;
  await table.check(`${when}: the load compares chain, history and limits`, async () => {
    result = await load.finish();
    return { ok: true, seen: `${result.checks.length} comparisons` };
  });
  if (!result) return;
  for (const { name, ok, found } of result.checks) table.add(`${when}: ${name}`, { ok, seen: found });
  const { requests, lost, retries, undone, confirmed, transfers, trades, orders, reads } = result;
  const kinds = `${transfers} transfers, ${trades} trades, ${orders} orders, ${reads} reads`;
  const repeats = `${lost} lost, ${retries} repeated with the same key, ${undone} repeated with a new key after a 5xx`;
  table.add(`${when}: ${mayLose ? 'requests' : 'no request is lost'}`, {
    ok: mayLose || lost === 0,
    seen: `${requests} requests in ${acted.toFixed(0)} s (${kinds}): ${repeats}; ${confirmed} operations confirmed`,
  });
  await testLedger({ cluster, table, when, fees: result.fees });
}
