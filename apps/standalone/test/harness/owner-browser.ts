import { openBrowser } from '@agent-wallet/testing';
import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Browser, BrowserContext, CDPSession, ConsoleMessage, Page } from 'playwright-core';

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Folder for a picture of each page that is audited; none are made without it. */
const SHOTS = process.env['CONSOLE_SHOTS'];
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

/** Elements that a page must not have: their code or style is not a file of the console's origin. */
const INLINE = `[...document.querySelectorAll('script:not([src]), style')].map(({ outerHTML }) => outerHTML).concat(
  [...document.querySelectorAll('*')].filter((element) =>
    [...element.attributes].some(({ name, value }) => name.startsWith('on') || /^\\s*javascript:/i.test(value)),
  ).map(({ outerHTML }) => outerHTML))`;

const CONTROLS = `[...document.querySelectorAll('a[href], button:enabled, input:enabled, summary')].map((each) =>
  each.innerText.trim())`;
const FOCUSED_ON_SCREEN = `(() => {
  const { left, top, right, bottom } = document.activeElement.getBoundingClientRect();
  const isOnScreen = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  return isOnScreen ? document.activeElement.innerText.trim() : '';
})()`;

interface AxeResults {
  readonly violations: readonly Violation[];
  readonly passes: readonly unknown[];
}

interface Violation {
  readonly id: string;
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>;
}

/** A running browser, with the protocol of its page and the page's authenticator. */
interface BrowserParts {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly consoleUrl: string;
  readonly protocol: CDPSession;
  readonly authenticatorId: string;
}

/** An owner's browser at the console, with a passkey authenticator, of which everything is watched. */
export class OwnerBrowser {
  /** Errors, warnings and breaches of the content security policy. */
  readonly complaints: string[] = [];
  /** Origins that a page asked for something. */
  readonly origins = new Set<string>();

  readonly context: BrowserContext;
  readonly page: Page;
  readonly consoleUrl: string;

  private constructor(private readonly parts: BrowserParts) {
    const { context, page, consoleUrl } = parts;
    this.context = context;
    this.page = page;
    this.consoleUrl = consoleUrl;
    page.on('console', (message) => this.#hear(message));
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'blob:') this.origins.add(origin);
    });
  }

  /** Starts a browser without a window. */
  static async open(consoleUrl: string): Promise<OwnerBrowser> {
    const browser = await openBrowser();
    const context = await browser.newContext({ viewport: DESKTOP, baseURL: consoleUrl, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const protocol = await context.newCDPSession(page);
    await protocol.send('WebAuthn.enable');
    const options = AUTHENTICATOR;
    const { authenticatorId } = await protocol.send('WebAuthn.addVirtualAuthenticator', { options });
    return new OwnerBrowser({ browser, context, page, consoleUrl, protocol, authenticatorId });
  }

  /** Forgets every passkey of the device, as if it were lost and another one bought. */
  async loseDevice(): Promise<void> {
    const { protocol, authenticatorId } = this.parts;
    await protocol.send('WebAuthn.clearCredentials', { authenticatorId });
    await this.context.clearCookies();
  }

  /** Does something while a security key answers in the place of the device, which comes back afterwards. */
  async onOtherDevice(act: () => Promise<void>): Promise<void> {
    const { protocol, authenticatorId } = this.parts;
    const present = (enabled: boolean) =>
      protocol.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    await present(false);
    const options = { ...AUTHENTICATOR, transport: 'usb' } as const;
    const other = await protocol.send('WebAuthn.addVirtualAuthenticator', { options });
    await act();
    await protocol.send('WebAuthn.removeVirtualAuthenticator', other);
    await present(true);
  }

  /** Creates a context of a stranger, who has no cookie and nothing in the cache. */
  async newContext(): Promise<BrowserContext> {
    return this.parts.browser.newContext({ viewport: PHONE, baseURL: this.consoleUrl });
  }

  /** Expects that what is shown is accessible and fits, light and dark, on this screen and a phone, with nothing inline. */
  async audit(name: string): Promise<void> {
    const size = this.page.viewportSize()!;
    await this.page.locator('.skeleton').first().waitFor({ state: 'detached' });
    for (const viewport of size.width === PHONE.width ? [PHONE] : [size, PHONE]) {
      await this.page.setViewportSize(viewport);
      for (const colorScheme of ['dark', 'light'] as const) {
        await this.page.emulateMedia({ colorScheme });
        await this.expectAccessible(`${name}, ${viewport.width} pixels, ${colorScheme}`);
      }
    }
    await this.page.setViewportSize(size);
    expect(await this.page.evaluate(INLINE)).toEqual([]);
    if (SHOTS !== undefined) await this.#shoot(name, SHOTS);
  }

  /** Expects that axe finds no fault in what is shown now, and that nothing of it lies beside the screen. */
  async expectAccessible(name: string): Promise<void> {
    // The developer tools evaluate it: the page's policy stays in force.
    await this.page.evaluate(AXE);
    const { violations, passes } = await this.page.evaluate<AxeResults>(
      `axe.run(document, { resultTypes: ['violations'] })`,
    );
    expect(passes.length).toBeGreaterThan(5);
    const found = violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html + node.failureSummary)]);
    expect({ page: name, found, overflow: await this.overflow() }).toEqual({ page: name, found: [], overflow: 0 });
  }

  /** Shows the page at twice the size, as the browser's own zoom does on a screen of 1280 × 1024, while it is used. */
  async zoomed(act: () => Promise<void>): Promise<void> {
    const size = this.page.viewportSize()!;
    const screen = { width: 640, height: 512, deviceScaleFactor: 2, mobile: false };
    await this.parts.protocol.send('Emulation.setDeviceMetricsOverride', screen);
    await act();
    await this.parts.protocol.send('Emulation.clearDeviceMetricsOverride');
    await this.page.setViewportSize(size);
  }

  /** Presses Tab through the page. Returns the controls that it did not reach, or that were then not on the screen. */
  async unreachable(): Promise<string[]> {
    const missed = new Set(await this.page.evaluate<string[]>(CONTROLS));
    for (let presses = 0; presses < 60 && missed.size > 0; presses += 1) {
      await this.page.keyboard.press('Tab');
      missed.delete(await this.page.evaluate<string>(FOCUSED_ON_SCREEN));
    }
    return [...missed];
  }

  /** Returns by how many pixels the page is wider than the screen. */
  async overflow(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  }

  /** Presses Tab until a button has the focus, and Enter, as one does who has no pointer. */
  async pressButton(name: string): Promise<void> {
    const focused = () =>
      this.page.evaluate(`document.activeElement?.tagName === 'BUTTON' ? document.activeElement.innerText : ''`);
    for (let presses = 0; (await focused()) !== name; presses += 1) {
      if (presses > 60) throw new Error(`the keyboard does not reach the button ${name}`);
      await this.page.keyboard.press('Tab');
    }
    await this.page.keyboard.press('Enter');
  }

  async close(): Promise<void> {
    await this.parts.browser.close();
  }

  #hear(message: ConsoleMessage): void {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const heard = `${message.type()}: ${message.text()} (${message.location().url})`;
    if (!EXPECTED_COMPLAINTS.some((each) => each.test(heard))) this.complaints.push(heard);
  }

  async #shoot(name: string, folder: string): Promise<void> {
    const size = this.page.viewportSize()!;
    for (const [screen, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
      await this.page.setViewportSize(viewport);
      for (const colorScheme of ['dark', 'light'] as const) {
        await this.page.emulateMedia({ colorScheme });
        await this.page.screenshot({ path: path.join(folder, `${name}-${colorScheme}-${screen}.png`), fullPage: true });
      }
    }
    await this.page.setViewportSize(size);
  }
}

const EXPECTED_COMPLAINTS = [
  // The page asks for its session; before the login the answer is a 401.
  /Failed to load resource.* 401 .*\/owner\/me\)$/,
];
