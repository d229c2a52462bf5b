import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusals, type TelegramSimulator } from '../../../test/simulators/telegram/index.js';
import type { TargetRig } from '../../../test/support/target-rig.js';
import { ADA, BOB, FLOW, GROUP, TOKEN, TelegramRig } from '../../../test/support/telegram-rig.js';

let at: TelegramRig;
let telegram: TelegramSimulator;
let rig: TargetRig;

beforeEach(async () => {
  at = await TelegramRig.start();
  ({ telegram, rig } = at);
});

afterEach(() => at.stop());

describe('binding by chat id', () => {
  it('names the account by bot and chat, hides the bot in the hint, and keeps the token out of the binding', async () => {
    telegram.start(ADA, 'Ada');
    const signedIn = await rig.signIn(FLOW, { bot_token: ` ${TOKEN} `, chat_id: String(ADA) }).done;
    expect(signedIn.identity).toBe(`4242:${ADA}`);
    expect(signedIn.displayName).toBe('@plain_test_bot · Ada');
    expect(signedIn.accountHint).toBe('@pl***_bot');
    expect(JSON.stringify(signedIn.binding)).not.toContain(TOKEN);
    expect(signedIn.credentials).toEqual({ bot_token: TOKEN });
  });

  it.each([
    [{ bot_token: 'nonsense' }, 'telegram_token_malformed'],
    [{ bot_token: TOKEN, chat_id: 'my chat' }, 'telegram_chat_id_malformed'],
    [{ bot_token: TOKEN, chat_id: '4242' }, 'telegram_chat_is_the_bot'],
    [{ bot_token: TOKEN, chat_id: '555' }, 'telegram_chat_not_found'],
    [{ bot_token: '4242:wrong', chat_id: '555' }, 'telegram_token_refused'],
  ])('says what is wrong with %j', async (input, code) => {
    await expect(rig.signIn(FLOW, input).done).rejects.toMatchObject({ name: 'SignInFailure', code });
  });

  it.each([
    ['in its own words', refusals.unknownMethod],
    ['with no more than "Not Found"', { kind: 'refuse', error_code: 404, description: 'Not Found' } as const],
    ['with a page', { kind: 'garbage', status: 404, body: 'Cannot POST' } as const],
  ])('takes a numeric chat id as it stands where the server says %s that it has no such question', async (_, fault) => {
    telegram.faults.add('getChat', fault);
    const signedIn = await rig.signIn(FLOW, { bot_token: TOKEN, chat_id: String(ADA) }).done;
    expect(signedIn.identity).toBe(`4242:${ADA}`);
  });

  it('keeps the account of a group that became a supergroup', async () => {
    telegram.addGroup(GROUP, 'Team', [{ id: ADA, status: 'creator' }]);
    const signedIn = await rig.signIn(FLOW, { bot_token: TOKEN, chat_id: String(GROUP) }).done;
    const again = rig.signIn(FLOW, { bot_token: TOKEN, chat_id: String(GROUP) }, [
      { accountId: 'acc_1', identity: '4242:-1', binding: signedIn.binding },
    ]);
    expect((await again.done).identity).toBe('4242:-1');
  });

  it('takes what people wrote before the binding', async () => {
    telegram.say(ADA, 'are you there?');
    await at.openChat();
    await at.passUntil(() => rig.intake.received.length === 1);
    expect(rig.intake.textsOf('acc_1')).toEqual(['are you there?']);
  });
});

describe('what answers at the address is no Bot API', () => {
  const page = (status: number) => ({ kind: 'garbage', status, body: '<html>no</html>' }) as const;

  it.each([401, 404])(
    'a page with %i at the first question is told as a token or an address to correct',
    async (status) => {
      telegram.faults.add('getMe', page(status));
      const attempt = rig.signIn(FLOW, { bot_token: TOKEN, chat_id: String(ADA) });
      await expect(attempt.done).rejects.toMatchObject({ name: 'SignInFailure', code: 'telegram_token_refused' });
    },
  );

  it.each([
    [403, 'bad_answer'],
    [502, 'gateway_error'],
  ])('a page with %i is told as %s', async (status, code) => {
    telegram.faults.add('getMe', page(status));
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN, chat_id: String(ADA) });
    await expect(attempt.done).rejects.toMatchObject({ name: 'TransportError', code });
  });
});

describe('binding by pairing link', () => {
  async function shownLink(attempt: ReturnType<TargetRig['signIn']>): Promise<URL> {
    await telegram.until(() => attempt.progress.length > 0 && telegram.updates.polling);
    const last = attempt.progress.at(-1);
    return new URL(last?.status === 'pending' && last.qr ? last.qr.text : '');
  }

  it('shows a link with 128 random bits or more and binds whoever presses Start with it', async () => {
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const link = await shownLink(attempt);
    expect(link.origin + link.pathname).toBe('https://t.me/plain_test_bot');
    const code = link.searchParams.get('start') ?? '';
    expect(code).toMatch(/^[A-Za-z0-9_-]{22,64}$/);
    telegram.say(BOB, `/start ${code}`);
    const signedIn = await attempt.done;
    expect(signedIn.identity).toBe(`4242:${BOB}`);
    expect(signedIn.binding).toMatchObject({ chatId: BOB, ownerId: BOB });
  });

  it('says that it worked when the account is at work, and not before it could be stored', async () => {
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const link = await shownLink(attempt);
    telegram.say(BOB, `/start ${link.searchParams.get('start') ?? ''}`, { languageCode: 'zh-hans' });
    const signedIn = await attempt.done;
    expect(telegram.textsIn(BOB)).toEqual([]);
    rig.open('acc_1', signedIn);
    await at.passUntil(() => telegram.textsIn(BOB).length > 0);
    expect(telegram.textsIn(BOB)).toEqual(['已连接。现在可以在这里给我发消息了。']);
  });

  it('says nothing when an account of long ago is opened', async () => {
    await at.openChat(BOB);
    await at.clock.advance(5_000);
    expect(telegram.textsIn(BOB)).toEqual([]);
  });

  it('keeps what is written while the account is being stored, though another account confirms it to Telegram', async () => {
    await at.openChat();
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const link = await shownLink(attempt);
    telegram.say(BOB, `/start ${link.searchParams.get('start') ?? ''}`);
    const signedIn = await attempt.done;
    telegram.say(BOB, 'first words');
    await telegram.until(() => telegram.updates.unconfirmed.length === 0);
    rig.open('acc_2', signedIn);
    await telegram.until(() => rig.intake.received.length === 1);
    expect(rig.intake.textsOf('acc_2')).toEqual(['first words']);
    expect(rig.intake.ignored).toEqual([]);
  });

  it('does not keep for ever what is written to an account that was never stored', async () => {
    await at.openChat();
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const link = await shownLink(attempt);
    telegram.say(BOB, `/start ${link.searchParams.get('start') ?? ''}`);
    const signedIn = await attempt.done;
    telegram.say(BOB, 'to nobody');
    await telegram.until(() => telegram.updates.unconfirmed.length === 0 && telegram.updates.polling);
    await at.clock.advance(60_000);
    telegram.say(BOB, 'nobody again');
    await telegram.until(() => rig.intake.ignored.length === 1);
    rig.open('acc_2', signedIn);
    telegram.say(BOB, 'now');
    await telegram.until(() => rig.intake.received.length > 0);
    expect(rig.intake.textsOf('acc_2')).toEqual(['now']);
    expect(telegram.textsIn(BOB)).toEqual([]);
  });

  it('hands on the words of before also when the account opens in the moment in which a batch is stored', async () => {
    await at.openChat();
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const link = await shownLink(attempt);
    telegram.say(BOB, 'hello?');
    await at.passUntil(() => telegram.updates.unconfirmed.length === 0);
    telegram.say(BOB, `/start ${link.searchParams.get('start') ?? ''}`);
    const signedIn = await attempt.done;
    await at.passUntil(() => telegram.updates.polling);
    let write = (): void => undefined;
    rig.intake.disk = new Promise((resolve) => (write = resolve));
    telegram.say(ADA, 'meanwhile');
    await at.passUntil(() => rig.intake.writing === 1);
    write();
    rig.open('acc_2', signedIn);
    await at.passUntil(() => rig.intake.received.length === 2);
    expect(rig.intake.textsOf('acc_2')).toEqual(['hello?']);
  });

  it('takes a token again that Telegram refused for a while', async () => {
    const account = await at.openChat();
    telegram.faults.add('getUpdates', refusals.unauthorized);
    telegram.say(ADA, 'ends the poll');
    await at.passUntil(() => account.state() === 'revoked:token_revoked');
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const link = await shownLink(attempt);
    telegram.say(BOB, `/start ${link.searchParams.get('start') ?? ''}`);
    rig.open('acc_2', await attempt.done);
    await at.passUntil(() => account.state() === 'connected');
    expect(rig.intake.textsOf('acc_1')).toEqual(['ends the poll']);
  });

  it('does not hand the code to the agent, but what the person wrote before it', async () => {
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const link = await shownLink(attempt);
    telegram.say(BOB, 'hello?');
    telegram.say(ADA, 'I am somebody else');
    await at.passUntil(() => telegram.updates.unconfirmed.length <= 1);
    telegram.say(BOB, `/start ${link.searchParams.get('start') ?? ''}`);
    const account = rig.open('acc_1', await attempt.done);
    await at.passUntil(() => account.state() === 'connected' && rig.intake.received.length > 0);
    telegram.say(BOB, 'now?');
    await at.passUntil(() => rig.intake.received.length === 2);
    expect(rig.intake.textsOf('acc_1')).toEqual(['hello?', 'now?']);
  });

  it('takes a code once, and never an old one after a refresh', async () => {
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const old = (await shownLink(attempt)).searchParams.get('start') ?? '';
    attempt.refresh();
    const fresh = (await shownLink(attempt)).searchParams.get('start') ?? '';
    expect(fresh).not.toBe(old);
    telegram.say(ADA, `/start ${old}`);
    telegram.say(BOB, `/start ${fresh}`);
    expect((await attempt.done).identity).toBe(`4242:${BOB}`);
  });

  it('does not listen any more to a chat that tries codes', async () => {
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const code = (await shownLink(attempt)).searchParams.get('start') ?? '';
    for (let i = 0; i < 5; i += 1) telegram.say(ADA, `/start ${'A'.repeat(27)}`);
    telegram.say(ADA, `/start ${code}`);
    telegram.say(BOB, `/start ${code}`);
    expect((await attempt.done).identity).toBe(`4242:${BOB}`);
  });

  it('asks for a refresh when the code has expired', async () => {
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    await shownLink(attempt);
    await at.passUntil(() => attempt.progress.at(-1)?.status === 'qr_refresh_required', 30_000);
    attempt.refresh();
    expect(attempt.progress.at(-1)).toMatchObject({ status: 'pending', message: 'telegram_open_link' });
    attempt.cancel();
    await expect(attempt.done).rejects.toThrow('canceled');
  });

  it('shares the poller of an account that is open on the same bot', async () => {
    await at.openChat();
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    const link = await shownLink(attempt);
    telegram.say(BOB, `/start ${link.searchParams.get('start') ?? ''}`);
    telegram.say(ADA, 'still here');
    rig.open('acc_2', await attempt.done);
    await at.passUntil(() => rig.intake.textsOf('acc_1').length === 1);
    telegram.say(BOB, 'me too');
    await at.passUntil(() => rig.intake.textsOf('acc_2').length === 1);
    expect(telegram.calls.filter(({ method }) => method === 'getUpdates').length).toBeLessThan(8);
  });

  it('fails with words when a webhook takes the messages', async () => {
    telegram.webhook = 'https://example.org/hook';
    const attempt = rig.signIn(FLOW, { bot_token: TOKEN });
    await expect(attempt.done).rejects.toMatchObject({ code: 'telegram_webhook_active' });
    expect(telegram.webhook).toBe('https://example.org/hook');
  });
});
