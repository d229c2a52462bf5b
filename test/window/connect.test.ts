import { describe, expect, it } from 'vitest';
import { ended, running as inProgress, shown } from './fixtures/sign-in.js';
import { connectCases } from './states/connect.js';
import { messageAnswers } from './states/messages.js';
import { windowSuite } from './support/suite.js';
import { NOW, refusal, result, SECOND, type WindowCase } from './support/window-case.js';

const suite = windowSuite();
const caseOf = (name: string): WindowCase => connectCases.find((one) => one.name === name)!;
const LINK = 'https://example.invalid/q/1';
const SECOND_LINK = 'https://example.invalid/q/2';
const scanQr = (link: string): ReturnType<typeof result> =>
  result(inProgress('pending', 'scan_qr', shown(link, 84 * SECOND)));
const authenticated = result({ ...ended('failed', ''), status: 'authenticated', accountId: 'acc_new' });
const session = { connector: 'wechat', authSessionId: 'auth_1' };
const TOKEN = '7904412368:AAHfiqksKZ8WmR2zSjiQ7_v4TMAKdiHm9T0';

describe('a code', () => {
  it('is shown, scanned and confirmed, and each step is told', async () => {
    const window = await suite.open({
      ...caseOf('shown'),
      answers: { 'sign-in': scanQr(LINK), 'sign-in-state': scanQr(LINK) },
    });
    const { page } = window;
    const live = page.locator('[data-live]');
    await page
      .getByRole('img', { name: 'QR code for WeChat sign-in. A link with the same content is below.' })
      .waitFor();
    expect(await page.getByRole('textbox', { name: 'Link with the same content' }).inputValue()).toBe(LINK);
    await expect.poll(() => live.innerText()).toContain('The code is shown. It expires in 1 minute 24 seconds.');
    await page.clock.setFixedTime(NOW + 66 * SECOND);
    await expect.poll(() => live.innerText()).toContain('18 seconds left.');
    await window.answer('sign-in-state', result(inProgress('pending', 'scan_qr', shown(SECOND_LINK, 150 * SECOND))));
    await expect.poll(() => live.innerText()).toContain('A new code is shown.');
    await window.answer(
      'sign-in-state',
      result(inProgress('scanned', 'confirm_on_phone', shown(SECOND_LINK, 52 * SECOND))),
    );
    await expect.poll(() => live.innerText()).toContain('Scanned. Now tap Confirm on your phone.');
    await window.answer('sign-in-state', authenticated);
    await page.getByRole('heading', { name: 'WeChat is connected' }).waitFor();
    await expect.poll(() => live.innerText()).toContain('WeChat is connected');
    expect(await window.callsOf('sign-in-cancel')).toEqual([]);
  });

  it('that was scanned shows the time that is left to confirm it, which is more than before', async () => {
    const window = await suite.open({
      ...caseOf('shown'),
      answers: { 'sign-in': scanQr(LINK), 'sign-in-state': scanQr(LINK) },
    });
    await window.page.getByText('Expires in 1:24').waitFor();
    const more = shown(LINK, 120 * SECOND);
    await window.answer('sign-in-state', result(inProgress('scanned', 'confirm_on_phone', more)));
    await window.page.getByText('2:00 left to confirm').waitFor();
  });

  it('is ended at the host when the person leaves, by Cancel as by any other way', async () => {
    const { answers } = caseOf('shown');
    const window = await suite.open({ ...caseOf('shown'), answers: { ...messageAnswers, ...answers } });
    await window.page.getByRole('link', { name: 'Cancel' }).click();
    await expect.poll(() => window.callsOf('sign-in-cancel')).toEqual([session]);
    await window.page.goBack();
    await expect.poll(() => window.callsOf('sign-in')).toHaveLength(2);
    await window.page.keyboard.press('Control+2');
    await expect.poll(() => window.callsOf('sign-in-cancel')).toHaveLength(2);
    expect(await window.callsOf('sign-in')).toEqual([{ connector: 'wechat' }, { connector: 'wechat' }]);
  });

  it('is renewed by the same sign-in while it runs, and by a new one once it ended', async () => {
    const window = await suite.open(caseOf('renew'));
    await window.page.getByRole('button', { name: 'New code' }).click();
    expect(await window.callsOf('sign-in-refresh')).toEqual([session]);
    await window.answer('sign-in-state', result(ended('expired', 'qr_expired')));
    await window.page.locator('.over', { hasText: 'It was renewed twice and nobody scanned it.' }).waitFor();
    await window.page.getByRole('button', { name: 'New code' }).click();
    await expect.poll(() => window.callsOf('sign-in')).toHaveLength(2);
    expect(await window.callsOf('sign-in-cancel')).toEqual([]);
  });

  it('asks for the digits of the phone in one field that takes a paste, and says when they were wrong', async () => {
    const window = await suite.open(caseOf('digits'));
    const { page } = window;
    const field = page.getByLabel('Digits on your phone');
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code');
    expect(await field.getAttribute('inputmode')).toBe('numeric');
    await field.fill(' 40 71\n');
    expect(await field.inputValue()).toBe('4071');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await window.callsOf('sign-in-input')).toEqual([{ ...session, input: { verify_code: '4071' } }]);
    // Not before: the page asks each second, and empties the field when the digits were wrong.
    await window.answer(
      'sign-in-state',
      result(inProgress('scanned', 'verify_code_wrong', shown(LINK, 40 * SECOND), ['verify_code'])),
    );
    await page.locator('.help', { hasText: 'WeChat didn’t accept these digits.' }).waitFor();
    expect(await page.getByLabel('Digits on your phone').getAttribute('aria-invalid')).toBe('true');
  });

  it('names the proxy that stands in the way', async () => {
    const { page } = await suite.open(caseOf('no-proxy'));
    const over = page.locator('.over');
    await over.getByText('The proxy proxy.example.net:8080 can’t be reached, so WeChat can’t either.').waitFor();
  });

  it('promises that a message reaches the agent only where there is one', async () => {
    const here = await suite.open(caseOf('done'));
    await here.page.getByText('It should reach your agent within a few seconds.').waitFor();
    const away = await suite.open(caseOf('done-no-agent'));
    await away.page.getByText('No agent is connected yet, so it waits here until one is.').waitFor();
    expect(await away.page.getByText('within a few seconds').count()).toBe(0);
  });

  it('waits through a host that is out of reach for a moment', async () => {
    const window = await suite.open(caseOf('shown'));
    await window.answer('sign-in-state', [refusal('unreachable'), refusal('unreachable'), authenticated]);
    await window.page.getByRole('heading', { name: 'WeChat is connected' }).waitFor();
  });

  it('says so when the host forgot the sign-in, and begins anew', async () => {
    const window = await suite.open(caseOf('shown'));
    await window.answer('sign-in-state', refusal('auth_session_not_found'));
    await window.page.locator('.over', { hasText: 'This sign-in has ended. Start it again.' }).waitFor();
    await window.page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => window.callsOf('sign-in')).toHaveLength(2);
  });
});

describe('a form', () => {
  it('looks at its values before it asks anybody, and goes to the first that is wrong', async () => {
    const window = await suite.open(caseOf('form'));
    const { page } = window;
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Fill this in.').waitFor();
    const token = page.getByLabel('Bot token', { exact: true });
    expect(await token.evaluate((node) => node === document.activeElement)).toBe(true);
    await token.fill('7904412368');
    await page.getByText('This isn’t a bot token.').waitFor();
    await token.fill(TOKEN);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect
      .poll(() => window.callsOf('sign-in'))
      .toEqual([{ connector: 'telegram', input: { bot_token: TOKEN } }]);
  });

  it('shows a secret only when asked to', async () => {
    const { page } = await suite.open(caseOf('form'));
    const token = page.getByLabel('Bot token', { exact: true });
    expect(await token.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show Bot token' }).click();
    expect(await token.getAttribute('type')).toBe('text');
    await page.getByRole('button', { name: 'Hide Bot token' }).click();
    expect(await token.getAttribute('type')).toBe('password');
  });

  it('says what the network refused beside the field it is about, until that changes, and keeps the values', async () => {
    const { page } = await suite.open(caseOf('form-bad'));
    await page
      .locator('.help', { hasText: 'Telegram doesn’t know this token. Copy it again from BotFather.' })
      .waitFor();
    expect(await page.getByLabel('Bot token', { exact: true }).inputValue()).toBe(TOKEN);
    await page.getByLabel('Bot token', { exact: true }).fill(`${TOKEN}x`);
    await expect.poll(() => page.locator('.help', { hasText: 'know this token' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Connect', exact: true }).isEnabled()).toBe(true);
  });

  it('is stopped by Cancel while the network is asked, and is there again with its values', async () => {
    const window = await suite.open(caseOf('form-checking'));
    const { page } = window;
    await page.getByText('Asking Telegram…').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect
      .poll(() => window.callsOf('sign-in-cancel'))
      .toEqual([{ connector: 'telegram', authSessionId: 'auth_1' }]);
    expect(await page.getByLabel('Bot token', { exact: true }).inputValue()).toBe(TOKEN);
    expect(await page.getByRole('button', { name: 'Connect', exact: true }).isEnabled()).toBe(true);
  });

  it('goes on with a link to open where the network binds by one', async () => {
    const window = await suite.open(caseOf('link'));
    const { page } = window;
    await page.getByText('This is @plum_home_bot.').waitFor();
    await page.getByRole('button', { name: 'Open' }).click();
    expect(await window.callsOf('open-link')).toEqual([{ url: 'https://t.me/plum_home_bot?start=k7Qh2mVb9x' }]);
    await page.getByRole('button', { name: 'Copy' }).click();
    expect(await window.callsOf('copy-text')).toEqual([{ text: 'https://t.me/plum_home_bot?start=k7Qh2mVb9x' }]);
    await window.answer('sign-in-state', result(ended('expired', 'session_expired')));
    await page.locator('.banner', { hasText: 'It was not completed in time.' }).waitFor();
    expect(await page.getByLabel('Bot token', { exact: true }).inputValue()).toBe(TOKEN);
  });
});
