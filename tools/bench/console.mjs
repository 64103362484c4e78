// Benchmark: from a navigation to a login form that can be used, in a browser whose processor is slowed down.
import { startConsole } from '@agent-wallet/console';
import { createLogger } from '@agent-wallet/platform';
import { needsBrowser, openBrowser } from '@agent-wallet/testing';
import { Checks } from '../measuring/checks.mjs';
import { closing } from '../measuring/closing.mjs';
import { counted, median } from './measure/pairs.mjs';

const SLOWDOWN = 4;
const MOST_BYTES = 150_000;
const AIM = { atMost: 1_000 };
const PHONE = { width: 390, height: 844 };

/** Notes when the login form is drawn and answers: its field takes text, and its button can be pressed. */
const NOTES_WHEN_USABLE = `globalThis.usable = new Promise((resolve) => (function look() {
  if (document.querySelector('form input:enabled') && document.querySelector('form button:enabled')) {
    setTimeout(() => resolve(performance.now()));
  } else requestAnimationFrame(look);
})())`;

/** Measures the first load of the served build. Each round is a new visitor; one more in front warms up. */
export async function measure({ pairs }) {
  const { name, isMet } = needsBrowser();
  if (!isMet) return console.log(`  It needs ${name}.`);
  const facts = { apiUrl: 'http://localhost:1', network: 'sandbox', sandboxAdminUrl: undefined };
  const settings = { address: 'localhost:0', logger: createLogger('bench', 'silent') };
  const server = await startConsole(settings, () => facts);
  closing(server, () => server.stop());
  const browser = await openBrowser();
  closing(browser, () => browser.close());
  const checks = new Checks();
  const url = `http://localhost:${server.address.split(':').at(-1)}/login`;
  const rounds = [];
  for (let round = 0; round <= pairs; round += 1) rounds.push(await visit(browser, url));
  const [{ bytes }, ...measured] = rounds;
  checks.equal(`the first load has at most ${MOST_BYTES} bytes`, bytes <= MOST_BYTES, true);
  const usable = measured.map(({ usableMs }) => Math.round(usableMs));
  const value = median(usable);
  return {
    notes: `${pairs} visits with an empty cache, processor slowed down ${SLOWDOWN} times; ${usable.join(', ')} ms`,
    figures: [
      { ...counted('login form usable after', value, { unit: 'ms' }), aim: AIM, met: value <= AIM.atMost },
      counted('first load, compressed', bytes, { unit: 'bytes' }),
      counted('main thread busy until then', median(measured.map(({ busyMs }) => Math.round(busyMs))), { unit: 'ms' }),
    ],
    tables: [],
    checks: checks.all,
  };
}

async function visit(browser, url) {
  const context = await browser.newContext({ viewport: PHONE });
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send('Network.enable');
  await protocol.send('Performance.enable');
  await protocol.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  let bytes = 0;
  protocol.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.addInitScript({ content: NOTES_WHEN_USABLE });
  await page.goto(url);
  const usableMs = await page.evaluate('globalThis.usable');
  const { metrics } = await protocol.send('Performance.getMetrics');
  await page.waitForLoadState('networkidle');
  await context.close();
  return { usableMs, bytes, busyMs: metrics.find(({ name }) => name === 'TaskDuration').value * 1_000 };
}
