import { readFile } from 'node:fs/promises';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { HostProcess, runCli, type Config } from '../../support/host-process.js';
import { listen, PATIENCE_MS } from './listen.js';
import { PROXY_PASSWORD, type Product } from './product.js';

/** Debian's browser; another one by its path. */
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** `serve`, and its window in a headless browser that came in by a one-time link. */
export class BrowserProduct implements Product {
  readonly kind = 'browser';
  readonly complaints: string[] = [];
  readonly #frames: string[] = [];

  private constructor(
    private readonly host: HostProcess,
    readonly browser: Browser,
    readonly context: BrowserContext,
    readonly page: Page,
    /** The link that let this browser in. */
    readonly usedLink: string,
  ) {
    listen(page, this.complaints);
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => this.#frames.push(payload.toString()));
    });
  }

  static async open(config: Config): Promise<BrowserProduct> {
    const host = await HostProcess.start({
      config,
      env: { HTTPS_PROXY: `http://kim:${PROXY_PASSWORD}@proxy.example:3128` },
    });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      // A test machine may run as root, where Chromium has no sandbox of its own.
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    const context = await browser.newContext({ locale: 'en-GB', acceptDownloads: true });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const product = new BrowserProduct(host, browser, context, page, await freshLink(host));
    await page.goto(product.usedLink);
    // The first start is a journey of its own.
    await page.getByRole('button', { name: 'Skip set-up' }).click();
    return product;
  }

  get url(): string {
    return this.host.url;
  }

  said(): Promise<readonly string[]> {
    return Promise.resolve(this.#frames);
  }

  async reopen(): Promise<void> {
    await this.page.reload();
    await this.page.locator('h1').first().waitFor();
  }

  async save(click: () => Promise<void>): Promise<Buffer> {
    const [download] = await Promise.all([this.page.waitForEvent('download'), click()]);
    return readFile(await download.path());
  }

  async end(): Promise<void> {
    await this.browser.close();
    await this.host.destroy();
  }
}

async function freshLink(host: HostProcess): Promise<string> {
  const { code, stdout, stderr } = await runCli(['ui', '--data-dir', host.dataDir]);
  if (code !== 0) throw new Error(`no link: ${stderr}`);
  return stdout.trim();
}
