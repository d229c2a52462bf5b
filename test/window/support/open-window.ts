import { type Browser, chromium, type Disposable, type Page } from 'playwright-core';
import type { Language, WindowState } from '../../../src/bridge/index.js';
import { type FakeWindow, installFakePreload } from './fake-preload.js';
import { type Answers, NOW, type WindowCase } from './window-case.js';

/** Debian's browser; another one by its path. */
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

export interface Look {
  readonly language: Language;
  readonly theme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}

/** The window as it first opens. */
export const AT_FIRST: Look = { language: 'en', theme: 'light', width: 960, height: 680 };
export const NARROW: Look = { ...AT_FIRST, width: 360, height: 720 };

/** A headless browser; one is enough for a suite. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    // A test machine may run as root, where Chromium has no sandbox of its own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars', '--force-color-profile=srgb'],
  });
}

/** One open window over a fake preload script. */
export class OpenWindow {
  /** What the page's console and scripts complained about, CSP violations among it. */
  readonly complaints: string[] = [];

  #state: WindowState;
  /** Takes the fake preload script away from what the page loads next. */
  #preload: Disposable | undefined;

  private constructor(
    readonly page: Page,
    private readonly url: string,
    state: WindowState,
  ) {
    this.#state = state;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text());
    });
  }

  static async open(browser: Browser, url: string, of: WindowCase, look: Look = AT_FIRST): Promise<OpenWindow> {
    const context = await browser.newContext({
      viewport: { width: look.width, height: look.height },
      colorScheme: look.theme,
      locale: look.language === 'zh' ? 'zh-CN' : 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    const window = new OpenWindow(page, url, of.state);
    await page.clock.setFixedTime(NOW);
    await window.#load(of, look);
    return window;
  }

  /** Loads the page anew, in another case: nothing of the one before is left but what the browser itself keeps of a page. */
  async reopen(of: WindowCase, look: Look = AT_FIRST): Promise<void> {
    // In this order: the page that goes may still be loading what only its routes have.
    await this.page.goto('about:blank');
    await this.page.unrouteAll();
    await this.page.mouse.move(0, 0);
    await this.page.setViewportSize({ width: look.width, height: look.height });
    await this.page.emulateMedia({ colorScheme: look.theme });
    await this.#load(of, look);
  }

  async #load(of: WindowCase, look: Look): Promise<void> {
    await this.#preload?.dispose();
    this.#state = inLook(of.state, look);
    this.#preload = await this.page.addInitScript(installFakePreload, {
      state: this.#state,
      answers: of.answers ?? {},
    });
    await this.page.goto(`${this.url}${of.hash}`);
    await this.page.locator('h1').first().waitFor();
    await of.act?.(this.page);
  }

  /** The same window, where it is now, in another look. */
  async show(look: Look): Promise<void> {
    await this.page.setViewportSize({ width: look.width, height: look.height });
    await this.page.emulateMedia({ colorScheme: look.theme });
    await this.push(inLook(this.#state, look));
    await this.page.locator(`html[data-theme=${look.theme}]:lang(${look.language})`).waitFor();
  }

  /** Commands that the window gave, in order. */
  calls(): Promise<readonly { readonly command: string; readonly params: unknown }[]> {
    return this.page.evaluate(() => (window as unknown as FakeWindow).fakePreload.calls);
  }

  /** Parameters of each call of one command. */
  async callsOf(name: string): Promise<readonly unknown[]> {
    return (await this.calls()).filter(({ command }) => command === name).map(({ params }) => params);
  }

  /** The host or the shell says something new. */
  async push(state: WindowState): Promise<void> {
    this.#state = state;
    await this.page.evaluate((next) => (window as unknown as FakeWindow).fakePreload.push(next), state);
  }

  /** From now on this is answered. */
  async answer(command: string, answer: Answers[string]): Promise<void> {
    await this.page.evaluate(([name, next]) => (window as unknown as FakeWindow).fakePreload.answer(name, next), [
      command,
      answer,
    ] as const);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

/** The state with the look's language and theme chosen. */
function inLook(state: WindowState, { language, theme }: Look): WindowState {
  const preferences = { ...state.shell.preferences, language, theme };
  return { ...state, shell: { ...state.shell, preferences } };
}
