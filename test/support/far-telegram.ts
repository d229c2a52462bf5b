import { makeCertificate, type TestCertificate } from './certificate.js';
import type { Config } from './host-process.js';
import { TelegramNetwork } from './telegram-network.js';
import { TestProxy, type TestProxyOptions } from './test-proxy.js';
import { startTlsFront, type TlsFront } from './tls-front.js';

export const FAR_HOST = 'telegram.test';

/** Telegram as it is out there: over TLS, under a name that only a proxy can resolve. */
export class FarTelegram extends TelegramNetwork {
  #certificate: TestCertificate | undefined;
  #front: TlsFront | undefined;
  #proxy: TestProxy | undefined;

  /** Makes it and its proxy, before there is a host that has to know the proxy. */
  async prepare(options: Pick<TestProxyOptions, 'credentials'> = {}): Promise<TestProxy> {
    await super.start();
    this.#certificate = await makeCertificate(FAR_HOST);
    this.#front = await startTlsFront(this.#certificate, Number(new URL(this.simulator.apiRoot).port));
    this.#proxy = await TestProxy.start('http', { ...options, hosts: this.hosts });
    return this.#proxy;
  }

  /** What a proxy has to know to reach it. */
  get hosts(): Readonly<Record<string, number>> {
    return { [`${FAR_HOST}:443`]: this.#front?.port ?? 0 };
  }

  /** For a program that is to trust it. */
  get trust(): Record<string, string> {
    return { NODE_EXTRA_CA_CERTS: this.#certificate?.file ?? '' };
  }

  override async start(): Promise<void> {
    // Prepared before.
  }

  override config(): Config {
    const others = ['wechat', 'feishu', 'xmpp'].map((name) => [name, { enabled: false }]);
    return { connectors: { telegram: { apiRoot: `https://${FAR_HOST}` }, ...Object.fromEntries(others) } };
  }

  override async stop(): Promise<void> {
    await this.#proxy?.stop();
    await this.#front?.close();
    await super.stop();
    await this.#certificate?.remove();
  }
}
