import type { Locator, Page } from 'playwright-core';
import { PERSON, startIlinkSimulator, type IlinkSimulator } from '../../simulators/ilink/index.js';
import { startTelegramSimulator, type TelegramSimulator } from '../../simulators/telegram/index.js';
import { eventually } from '../../support/deadline.js';
import { PASSPHRASE } from '../../support/host-process.js';
import { ask } from '../../support/http-client.js';
import { SpecAgent } from '../../support/spec-agent.js';
import { records } from '../../support/wire-rules.js';
import { PATIENCE_MS } from './listen.js';
import { API_KEY, PROXY_PASSWORD, type OpenProduct, type Product } from './product.js';

export const BOT_TOKEN = '4242:AAcanaryDDEEffGGhhIIjjKKllMMnnOOppQQ';
/** Looks like a token, and belongs to no bot: as secret as the right one, a typing error away from it. */
export const STRANGE_TOKEN = '4242:AAcanaryOfNobodyAtAllAtAllAtAllAtAll';
/** Who writes to the bot; a private chat has the id of its person. */
export const KIM = 42_001;

type View = 'Accounts' | 'Messages' | 'Chat' | 'Agent' | 'Settings';

/** One person with the product in front of them, the networks they write on, and the agents that come and go. */
export class World<P extends Product = Product> {
  readonly #agents = new Map<string, SpecAgent>();

  private constructor(
    readonly wechat: IlinkSimulator,
    readonly telegram: TelegramSimulator,
    readonly product: P,
  ) {}

  static async start<P extends Product>(open: OpenProduct<P>): Promise<World<P>> {
    const wechat = await startIlinkSimulator();
    const telegram = await startTelegramSimulator({ token: BOT_TOKEN });
    telegram.start(KIM, 'Kim');
    const { apiBaseUrl, cdnBaseUrl } = wechat;
    const product = await open({
      server: { port: 0, apiKey: API_KEY },
      log: { level: 'debug' },
      connectors: {
        wechat: { apiBaseUrl, cdnBaseUrl },
        telegram: { apiRoot: telegram.apiRoot },
        feishu: { enabled: false },
        xmpp: { enabled: false },
      },
    });
    return new World(wechat, telegram, product);
  }

  /** @throws when the product broke a rule of a network or of the protocol */
  async end(): Promise<void> {
    for (const agent of this.#agents.values()) await agent.bye();
    await this.product.end();
    await this.telegram.close();
    await this.wechat.close();
    if (this.wechat.violations.length > 0)
      throw new Error(`rules of iLink were broken: ${this.wechat.violations.join('; ')}`);
  }

  get page(): Page {
    return this.product.page;
  }

  /** The agent of a network, which comes when it is first asked for. */
  async agent(network: string): Promise<SpecAgent> {
    const known = this.#agents.get(network);
    if (known !== undefined) return known;
    const agent = await SpecAgent.connect({ baseUrl: `${this.product.url}/${network}`, apiKey: API_KEY });
    this.#agents.set(network, agent);
    return agent;
  }

  // ------------------------------------------------------------ the window

  /** Goes to a view by the side bar. */
  async goTo(view: View): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view }).click();
    await this.page.getByRole('heading', { level: 1, name: view }).waitFor();
  }

  /** The card of the one account of a network. */
  card(network: string): Locator {
    return this.page.getByRole('article', { name: new RegExp(`^${network}`) });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, ...(typeof name === 'string' ? { exact: true } : {}) });
  }

  /** Waits until the page shows these words. */
  async reads(words: string | RegExp, inside: Page | Locator = this.page): Promise<void> {
    await inside.getByText(words).first().waitFor();
  }

  /** A fact of an account's card, by its label. */
  async fact(network: string, label: string): Promise<string> {
    const fact = this.card(network).locator('dl > div', { has: this.page.locator('dt', { hasText: label }) });
    return (await fact.locator('dd').textContent()) ?? '';
  }

  /** Waits until a fact of an account's card is as expected. */
  async factIs(network: string, label: string, expected: RegExp): Promise<void> {
    let last = '';
    await eventually(
      async () => {
        last = await this.fact(network, label);
        return expected.test(last);
      },
      `${label} of ${network} to be ${expected.source}`,
      PATIENCE_MS,
    ).catch((error: unknown) => {
      throw new Error(`it was “${last}”`, { cause: error });
    });
  }

  // ------------------------------------------------------------ behind the window

  /** When the network last completed a round trip with the one account, Unix ms; as people's scripts read it. */
  async lastRoundTrip(network: string): Promise<number> {
    const answer = await ask(`${this.product.url}/status`, { headers: { authorization: `Bearer ${API_KEY}` } });
    const connector = records(answer.json()['connectors']).find(({ name }) => name === network);
    const [account] = [...records(connector?.['channels']), ...records(connector?.['accounts_without_channel'])];
    return Number(account?.['last_round_trip_at']);
  }

  /** All that must never get into a page. */
  get secrets(): readonly string[] {
    const bots = this.wechat.logins.bots.map(({ token }) => token);
    return [API_KEY, BOT_TOKEN, STRANGE_TOKEN, PROXY_PASSWORD, PASSPHRASE, ...bots, 'context-token-canary'];
  }
}

export { PERSON };
