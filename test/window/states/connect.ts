import type { Page } from 'playwright-core';
import type { Answer } from '../../../src/bridge/index.js';
import { account } from '../fixtures/accounts.js';
import { ended, running as inProgress, shown } from '../fixtures/sign-in.js';
import { allWell, behindProxy, snapshot, withoutAgent } from '../fixtures/snapshot.js';
import { running } from '../fixtures/window-state.js';
import { MINUTE, NOW, refusal, result, SECOND, type WindowCase } from '../support/window-case.js';

const host = running(
  snapshot({
    ...allWell({ wechat: [], telegram: [] }),
  }),
);

/** A sign-in of WeChat that stands here. */
function scan(name: string, answer: Answer, act?: (page: Page) => Promise<void>): WindowCase {
  return {
    view: 'connect',
    name,
    hash: '#/accounts/connect/wechat',
    state: host,
    answers: { 'sign-in': answer, 'sign-in-state': answer },
    ...(act && { act }),
  };
}

/** The form of a network, and what a person does with it. */
function form(
  name: string,
  network: string,
  act?: (page: Page) => Promise<void>,
  answer: Answer = result(),
): WindowCase {
  return {
    view: 'connect',
    name,
    hash: `#/accounts/connect/${network}`,
    state: host,
    answers: { 'sign-in': answer, 'sign-in-state': answer },
    ...(act && { act }),
  };
}

/** Lets the window's clock go on. */
function later(ms: number): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator('.qr .code').waitFor();
    await page.clock.setFixedTime(NOW + ms);
    await page.locator('progress.low').waitFor();
  };
}

const LINK = 'https://example.invalid/q/7HqT2mVb?qrcode=a81f0c5e';
const TOKEN = '7904412368:AAHfiqksKZ8WmR2zSjiQ7_v4TMAKdiHm9T0';

async function fillToken(page: Page): Promise<void> {
  await page.locator('[name=bot_token]').fill(TOKEN);
  await page.locator('[type=submit]').click();
}

export const connectCases: readonly WindowCase[] = [
  { view: 'connect', name: 'choose', hash: '#/accounts/connect', state: host },
  scan('getting', result(inProgress('pending', 'starting'))),
  scan('shown', result(inProgress('pending', 'scan_qr', shown(LINK, 84 * SECOND)))),
  scan('soon', result(inProgress('pending', 'scan_qr', shown(LINK, 84 * SECOND))), later(70 * SECOND)),
  scan('scanned', result(inProgress('scanned', 'confirm_on_phone', shown(LINK, 52 * SECOND)))),
  scan('digits', result(inProgress('scanned', 'verify_code', shown(LINK, 47 * SECOND), ['verify_code']))),
  scan('digits-wrong', result(inProgress('scanned', 'verify_code_wrong', shown(LINK, 47 * SECOND), ['verify_code']))),
  scan('renew', result(inProgress('qr_refresh_required', 'qr_refresh_required', shown(LINK, 0)))),
  scan('expired', result(ended('expired', 'qr_expired'))),
  scan('refused', result(ended('failed', 'access_denied'))),
  {
    ...scan('no-proxy', result(ended('failed', 'proxy_unreachable'))),
    state: running(behindProxy(snapshot(allWell({ wechat: [] })))),
  },
  scan('no-network', result(ended('failed', 'network_unreachable'))),
  scan('already', result(ended('failed', 'already_connected'))),
  scan('not-taken-up', refusal('unknown_connector')),
  scan('done', result({ ...ended('failed', ''), status: 'authenticated', accountId: 'acc_wechat' })),
  {
    ...scan('done-no-agent', result({ ...ended('failed', ''), status: 'authenticated', accountId: 'acc_wechat' })),
    state: running(withoutAgent({})),
  },
  {
    ...scan('renewed', result({ ...ended('failed', ''), status: 'authenticated', accountId: 'acc_wechat' })),
    state: running(snapshot(allWell({ wechat: [account('wechat')] }))),
  },
  form('form', 'telegram'),
  form('form-malformed', 'telegram', async (page) => {
    await page.locator('[name=bot_token]').fill('7904412368');
    await page.locator('[name=chat_id]').focus();
  }),
  form('form-checking', 'telegram', fillToken, result(inProgress('pending', 'checking'))),
  form('form-bad', 'telegram', fillToken, result(ended('failed', 'telegram_token_refused'))),
  form(
    'link',
    'telegram',
    async (page) => {
      await fillToken(page);
      await page.locator('.qr .code').waitFor();
    },
    result(
      inProgress('pending', 'telegram_open_link', shown('https://t.me/plum_home_bot?start=k7Qh2mVb9x', 10 * MINUTE)),
    ),
  ),
  form(
    'link-taken-over',
    'telegram',
    async (page) => {
      await fillToken(page);
      await page.locator('.qr .code').waitFor();
    },
    result(
      inProgress('pending', 'telegram_taken_over', shown('https://t.me/plum_home_bot?start=k7Qh2mVb9x', 10 * MINUTE)),
    ),
  ),
  form('xmpp', 'xmpp', async (page) => {
    await page.locator('[name=jid]').fill('otter@exam ple.org');
    await page.locator('[name=password]').fill('a password');
    await page.locator('[name=peer_jid]').focus();
  }),
  form(
    'xmpp-unreachable',
    'xmpp',
    async (page) => {
      await page.locator('[name=jid]').fill('otter@example.org');
      await page.locator('[name=password]').fill('a password');
      await page.locator('[name=peer_jid]').fill('heron@example.org');
      await page.locator('[type=submit]').click();
    },
    result(ended('failed', 'network_unreachable')),
  ),
  form('feishu', 'feishu', undefined, result(inProgress('pending', 'scan_qr', shown(LINK, 57 * MINUTE)))),
];
