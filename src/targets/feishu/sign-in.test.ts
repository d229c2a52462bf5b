import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FeishuSimulator } from '../../../test/simulators/feishu/index.js';
import { FeishuRig, FLOW, OWNER } from '../../../test/support/feishu-rig.js';
import type { SigningIn } from '../../../test/support/target-rig.js';
import { MAX_QR_CODES, SLOW_DOWN_MS } from './sign-in.js';

const INTERVAL_MS = 5_000;

let at: FeishuRig;
let feishu: FeishuSimulator;
let loads: number;

beforeEach(async () => {
  loads = 0;
  at = await FeishuRig.start({
    load: () => {
      loads += 1;
      return import('./sdk-bundle.js');
    },
  });
  ({ feishu } = at);
});

afterEach(() => at.stop());

const begin = async (): Promise<SigningIn> => {
  const attempt = at.rig.signIn(FLOW, {});
  await at.until(() => attempt.progress.length === 1);
  return attempt;
};

/** Lets one interval pass and waits until the poll it brings was answered. */
const poll = async (ms = INTERVAL_MS): Promise<void> => {
  const before = feishu.registrations.polls.length + at.lark.registrations.polls.length;
  await at.clock.advance(ms);
  await at.until(() => feishu.registrations.polls.length + at.lark.registrations.polls.length > before);
  // The answer is read before the next timer stands.
  await at.until(() => at.clock.timers === 2 || isOver);
};

let isOver = false;
beforeEach(() => (isOver = false));
const watched = (attempt: SigningIn): SigningIn => {
  const mark = (): void => void (isOver = true);
  attempt.done.then(mark, mark);
  return attempt;
};

const linkOf = (attempt: SigningIn, index = 0): URL => {
  const shown = attempt.progress.filter((step) => step.status === 'pending')[index];
  return new URL(shown?.status === 'pending' ? (shown.qr?.text ?? '') : '');
};

describe('signing in by QR', () => {
  it('makes an app of the person who scanned, who becomes its owner; no SDK is loaded for it', async () => {
    const attempt = watched(await begin());
    await poll();
    const app = feishu.confirm(OWNER);
    await poll();
    expect(await attempt.done).toMatchObject({
      identity: app.appId,
      binding: { appId: app.appId, ownerId: OWNER, brand: 'feishu' },
      credentials: { appSecret: app.appSecret },
    });
    expect(loads).toBe(0);
  });

  it('asks for no more than it uses, for a new app, at the page as configured', async () => {
    const attempt = watched(await begin());
    const link = linkOf(attempt);
    expect(link.pathname).toBe('/page/launcher');
    expect(link.searchParams.get('user_code')).toBe('ABCD-EFGH');
    expect(link.searchParams.get('createOnly')).toBe('true');
    const addons: unknown = JSON.parse(
      gunzipSync(Buffer.from(link.searchParams.get('addons') ?? '', 'base64url')).toString(),
    );
    expect(addons).toEqual({
      preset: false,
      scopes: {
        tenant: [
          'im:message.p2p_msg:readonly',
          'im:message:send_as_bot',
          'im:resource',
          'im:message.reactions:write_only',
          'im:message.reactions:read',
          'cardkit:card:write',
        ],
        user: [],
      },
      events: { items: { tenant: ['im.message.receive_v1'] } },
    });
    attempt.cancel();
  });

  it.each([
    ['expires_in', 120],
    ['expire_in', 90],
  ])('reads the expiry spelled %s', async (name, seconds) => {
    feishu.registrations.options = { ...feishu.registrations.options, expiry: { [name]: seconds } };
    const attempt = watched(await begin());
    expect(attempt.progress[0]).toMatchObject({ qr: { expiresAt: at.clock.now() + seconds * 1_000 } });
    attempt.cancel();
  });

  it('slows down when asked to, and stays slow', async () => {
    const attempt = watched(await begin());
    feishu.registrations.script.push({ kind: 'error', error: 'slow_down' });
    await poll();
    await at.clock.advance(INTERVAL_MS);
    expect(feishu.registrations.polls).toHaveLength(1);
    await poll(SLOW_DOWN_MS);
    await at.clock.advance(INTERVAL_MS);
    expect(feishu.registrations.polls).toHaveLength(2);
    attempt.cancel();
  });

  it('goes on over a bad line, at the beginning and in the middle', async () => {
    feishu.registrations.failBegins = 2;
    const attempt = watched(at.rig.signIn(FLOW, {}));
    await at.passUntil(() => attempt.progress.length === 1, 500);
    feishu.registrations.script.push({ kind: 'cut' }, { kind: 'cut' });
    await poll();
    await poll();
    feishu.confirm(OWNER);
    await poll();
    expect((await attempt.done).binding).toMatchObject({ ownerId: OWNER });
  });

  it('follows a company that is served by Lark, once', async () => {
    const attempt = watched(await begin());
    at.lark.registrations.begun.push(feishu.registrations.begun[0] ?? '');
    feishu.registrations.script.push({ kind: 'elsewhere' });
    const app = at.lark.confirm(OWNER, 'lark');
    await poll();
    expect(await attempt.done).toMatchObject({
      identity: app.appId,
      binding: { brand: 'lark' },
      displayName: expect.stringMatching(/^Lark/),
    });
    expect(feishu.registrations.polls).toHaveLength(1);
  });

  it.each([
    ['access_denied', 'access_denied'],
    ['invalid_client', 'sign_in_refused'],
  ])('ends when the server says %s', async (error, code) => {
    const attempt = watched(await begin());
    feishu.registrations.script.push({ kind: 'error', error });
    await poll();
    await expect(attempt.done).rejects.toMatchObject({ name: 'SignInFailure', code });
  });

  it('ends when nobody is named as the owner, because then anybody could be it', async () => {
    const attempt = watched(await begin());
    const app = feishu.addApp(OWNER);
    feishu.registrations.script.push({ kind: 'registered', app, withoutOwner: true });
    await poll();
    await expect(attempt.done).rejects.toMatchObject({ code: 'login_incomplete' });
  });

  it('renews an expired code a few times, at the other page each time, then gives up', async () => {
    const attempt = watched(await begin());
    for (let shown = 1; shown <= MAX_QR_CODES; shown += 1) {
      feishu.registrations.script.push({ kind: 'error', error: 'expired_token' });
      await at.passUntil(() => feishu.registrations.polls.length === shown, 1_000);
    }
    await expect(attempt.done).rejects.toMatchObject({ code: 'qr_expired', status: 'expired' });
    expect(attempt.progress.map(({ status }) => status)).toEqual([
      'pending',
      'qr_refresh_required',
      'pending',
      'qr_refresh_required',
      'pending',
    ]);
    expect([0, 1, 2].map((index) => linkOf(attempt, index).pathname)).toEqual([
      '/page/launcher',
      '/page/cli',
      '/page/launcher',
    ]);
  });

  it('renews a code by its own clock too, when the server says nothing', async () => {
    feishu.registrations.options = { ...feishu.registrations.options, expiry: { expires_in: 60 }, intervalS: 30 };
    const attempt = watched(await begin());
    await at.passUntil(() => feishu.registrations.begun.length === 2, 1_000);
    attempt.cancel();
    await expect(attempt.done).rejects.toThrow('canceled');
  });

  it('a person may ask for a new code as often as they like; the old one counts no more', async () => {
    const attempt = watched(await begin());
    for (let renewed = 1; renewed <= 4; renewed += 1) {
      attempt.refresh();
      await at.until(() => feishu.registrations.begun.length === renewed + 1);
      await at.until(() => attempt.progress.filter(({ status }) => status === 'pending').length === renewed + 1);
    }
    feishu.confirm(OWNER);
    await poll();
    await attempt.done;
    expect(feishu.registrations.polls).toEqual([feishu.registrations.begun.at(-1)]);
  });

  it('stops at once when it is canceled', async () => {
    const attempt = watched(await begin());
    attempt.cancel();
    await expect(attempt.done).rejects.toThrow('canceled');
    await at.clock.advance(3_600_000);
    expect(feishu.registrations.polls).toEqual([]);
  });
});
