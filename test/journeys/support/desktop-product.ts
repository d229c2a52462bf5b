import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/deadline.js';
import { DesktopRun } from '../../support/desktop/desktop-run.js';
import { FakeDesktop } from '../../support/desktop/fake-desktop.js';
import { PrivateSession, Screen } from '../../support/desktop/private-session.js';
import type { Config } from '../../support/host-process.js';
import { listen, PATIENCE_MS } from './listen.js';
import type { Product } from './product.js';

/** What the main process keeps for these journeys. */
interface Overheard {
  heard?: string[];
  saved?: Promise<string>;
}

/** The desktop app in a real Electron, on a screen, a bus and a keyring of its own, with a tray. */
export class DesktopProduct implements Product {
  readonly kind = 'desktop';
  readonly complaints: string[] = [];
  page!: Page;

  private constructor(
    private readonly screen: Screen,
    private readonly session: PrivateSession,
    readonly desktop: FakeDesktop,
    readonly run: DesktopRun,
    readonly url: string,
  ) {}

  static async open(config: Config): Promise<DesktopProduct> {
    const screen = await Screen.start();
    const session = await PrivateSession.start(screen, 'ready');
    const desktop = await FakeDesktop.start(session.env);
    await desktop.showTray();
    const run = await DesktopRun.start(session, { config });
    const product = new DesktopProduct(screen, session, desktop, run, (await run.ready()).url);
    await product.#overhear();
    await product.#take();
    // The first start is a journey of its own.
    await product.page.getByRole('button', { name: 'Skip set-up' }).click();
    return product;
  }

  said(): Promise<readonly string[]> {
    return this.run.app.evaluate(() => (globalThis as Overheard).heard ?? []);
  }

  /** Closed, the window is gone; a click on the tray's icon brings a new one. */
  async reopen(): Promise<void> {
    await this.close();
    await this.desktop.click();
    await this.#take();
  }

  async close(): Promise<void> {
    await this.run.closeWindow();
    await eventually(async () => (await this.run.windows()).all === 0, 'the window to be gone', PATIENCE_MS);
  }

  async save(click: () => Promise<void>): Promise<Buffer> {
    const path = join(this.session.folder, 'saved');
    await this.run.app.evaluate(({ session: { defaultSession } }, target) => {
      (globalThis as Overheard).saved = new Promise((resolve) => {
        defaultSession.once('will-download', (_event, item) => {
          item.setSavePath(target);
          item.once('done', (_done, state) => resolve(state));
        });
      });
    }, path);
    await click();
    const state = await this.run.app.evaluate(() => (globalThis as Overheard).saved);
    if (state !== 'completed') throw new Error(`the download ended ${String(state)}`);
    return readFile(path);
  }

  async end(): Promise<void> {
    await this.run.kill();
    this.desktop.stop();
    await this.session.end();
    this.screen.stop();
  }

  async #take(): Promise<void> {
    this.page = await this.run.page();
    this.page.setDefaultTimeout(PATIENCE_MS);
    listen(this.page, this.complaints);
    await this.page.locator('h1').first().waitFor();
  }

  /** From now on the main process keeps a copy of every answer and every push that it gives a page. */
  async #overhear(): Promise<void> {
    await this.run.app.evaluate(({ ipcMain, BrowserWindow }) => {
      type Handler = (...args: readonly unknown[]) => unknown;
      const heard: string[] = [];
      (globalThis as Overheard).heard = heard;
      const handlers = (ipcMain as unknown as { readonly _invokeHandlers: Map<string, Handler> })._invokeHandlers;
      for (const [channel, handler] of handlers) {
        handlers.set(channel, async (...args) => {
          const answer = await handler(...args);
          heard.push(JSON.stringify(answer));
          return answer;
        });
      }
      const [window] = BrowserWindow.getAllWindows();
      if (window === undefined) throw new Error('there is no window');
      const contents = Object.getPrototypeOf(window.webContents) as { send: Handler };
      const { send } = contents;
      contents.send = function overheard(this: unknown, ...args) {
        heard.push(JSON.stringify(args));
        return send.apply(this, [...args]);
      };
    });
  }
}
