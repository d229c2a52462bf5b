import type { Json } from './rules.js';

/** A bot as the server knows it. */
export interface Bot {
  readonly botId: string;
  readonly token: string;
  readonly userId: string;
}

const WRONG_CODES = 3;

/** One QR and where its scanning stands. */
export class ShownQr {
  readonly handle: string;
  readonly text: string;
  readonly knownTokens: readonly string[];
  /** Verify code that the phone shows, if it does. */
  code: string | undefined;
  wrongCodes = 0;
  status: Json = { status: 'wait' };
  /** The status as it was last told, so that a long poll knows whether there is news. */
  told: Json | undefined;
  /** Port at which it may be polled; any until a redirect. */
  onlyAt: number | undefined;

  constructor(number: number, knownTokens: readonly string[]) {
    this.handle = `qr-handle-${String(number)}`;
    this.text = `https://liteapp.weixin.qq.com/q/${String(number)}?qrcode=${this.handle}&bot_type=3`;
    this.knownTokens = knownTokens;
  }
}

/** Sign-ins as the phone and the server make them. */
export class Logins {
  readonly shown: ShownQr[] = [];
  readonly bots: Bot[] = [];
  /** Tokens that still work. */
  readonly live = new Set<string>();
  /** Told as `baseurl` on confirmation, when set. */
  baseUrl: string | undefined;
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get qr(): ShownQr {
    const qr = this.shown.at(-1);
    if (!qr) throw new Error('no QR is shown');
    return qr;
  }

  newQr(knownTokens: readonly string[]): ShownQr {
    const qr = new ShownQr(this.shown.length + 1, knownTokens);
    this.shown.push(qr);
    return qr;
  }

  /** Any status, as it stands. */
  say(status: Json, qr = this.qr): void {
    qr.status = status;
    this.#changed();
  }

  scan(): void {
    this.say({ status: 'scaned' });
  }

  expire(): void {
    this.say({ status: 'expired' });
  }

  redirect(host: string | undefined, port: number | undefined): void {
    this.qr.onlyAt = port;
    this.say({ status: 'scaned_but_redirect', ...(host === undefined ? {} : { redirect_host: host }) });
  }

  /** The phone shows a code and waits for it. */
  demandCode(code: string): void {
    this.qr.code = code;
    this.say({ status: 'need_verifycode' });
  }

  /** A poll brought a code; whether it counts shows in the status. */
  tryCode(qr: ShownQr, code: string): void {
    if (qr.code === undefined) return;
    if (code === qr.code) {
      qr.code = undefined;
      this.say({ status: 'scaned' }, qr);
      return;
    }
    qr.wrongCodes += 1;
    qr.told = undefined;
    this.say({ status: qr.wrongCodes >= WRONG_CODES ? 'verify_code_blocked' : 'need_verifycode' }, qr);
  }

  /** The person confirms on the phone. One person owns one live bot: an earlier one dies, unless it is known to the client. */
  confirm(userId: string, qr = this.qr): Bot {
    const known = this.bots.find((bot) => bot.userId === userId && this.live.has(bot.token));
    if (known && qr.knownTokens.includes(known.token)) {
      this.say({ status: 'binded_redirect' }, qr);
      return known;
    }
    const bot = this.rebind(userId);
    this.say(
      {
        ret: 0,
        status: 'confirmed',
        bot_token: bot.token,
        ilink_bot_id: bot.botId,
        ilink_user_id: bot.userId,
        ...(this.baseUrl === undefined ? {} : { baseurl: this.baseUrl }),
      },
      qr,
    );
    return bot;
  }

  /** The same person signs in somewhere else. */
  rebind(userId: string): Bot {
    for (const { userId: owner, token } of this.bots) if (owner === userId) this.live.delete(token);
    const botId = `b0f5860fdec${String(this.bots.length)}aa55@im.bot`;
    const bot = { botId, token: `${botId}:0600canary${String(this.bots.length)}d41d8cd98f00b204`, userId };
    this.bots.push(bot);
    this.live.add(bot.token);
    return bot;
  }
}
