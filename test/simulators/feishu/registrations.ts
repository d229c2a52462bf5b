import { randomBytes } from 'node:crypto';

export interface App {
  readonly appId: string;
  readonly appSecret: string;
  readonly ownerId: string;
}

/** What a poll is answered with: an RFC 8628 error, or the app. */
export type PollStep =
  | { readonly kind: 'error'; readonly error: string }
  | {
      readonly kind: 'registered';
      readonly app: App;
      readonly brand?: 'feishu' | 'lark';
      readonly withoutOwner?: boolean;
    }
  /** The company is at the other brand: the credentials are not here. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'cut' };

export interface RegistrationOptions {
  /** How the field is spelled, and its value in seconds. */
  readonly expiry: Readonly<Record<string, number>>;
  readonly intervalS: number;
  readonly link: string;
}

/** The device flow of the accounts service. */
export class Registrations {
  options: RegistrationOptions = {
    expiry: { expires_in: 3600 },
    intervalS: 5,
    link: 'https://open.feishu.cn/page/launcher?user_code=ABCD-EFGH',
  };
  /** Device codes in the order they were given. */
  readonly begun: string[] = [];
  /** Polls by device code. */
  readonly polls: string[] = [];
  /** Answers for the next polls; `authorization_pending` when there is none. */
  readonly script: PollStep[] = [];
  /** Registrations that fail before they begin. */
  failBegins = 0;

  /** The app of the person who confirms next. */
  newApp(ownerId: string): App {
    return { appId: `cli_${randomBytes(8).toString('hex')}`, appSecret: randomBytes(16).toString('hex'), ownerId };
  }

  answer(form: URLSearchParams): { status: number; body: unknown } | 'cut' {
    if (form.get('action') === 'begin') return this.#begin();
    const code = form.get('device_code') ?? '';
    this.polls.push(code);
    if (!this.begun.includes(code)) return { status: 400, body: { error: 'invalid_grant' } };
    const step = this.script.shift() ?? { kind: 'error', error: 'authorization_pending' };
    switch (step.kind) {
      case 'cut':
        return 'cut';
      case 'error':
        return { status: 400, body: { error: step.error, error_description: 'as the server words it' } };
      case 'elsewhere':
        return { status: 200, body: { user_info: { tenant_brand: 'lark' } } };
      case 'registered': {
        const { app, brand = 'feishu', withoutOwner = false } = step;
        const user_info = { ...(withoutOwner ? {} : { open_id: app.ownerId }), tenant_brand: brand };
        return { status: 200, body: { client_id: app.appId, client_secret: app.appSecret, user_info } };
      }
    }
  }

  #begin(): { status: number; body: unknown } | 'cut' {
    if (this.failBegins > 0) {
      this.failBegins -= 1;
      return 'cut';
    }
    const device_code = randomBytes(16).toString('hex');
    this.begun.push(device_code);
    const { expiry, intervalS, link } = this.options;
    return {
      status: 200,
      body: { device_code, user_code: 'ABCD-EFGH', verification_uri_complete: link, ...expiry, interval: intervalS },
    };
  }
}
