import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PERSON_ACTS } from '../bridge/index.js';
import { allowedLink } from './links.js';
import { isPageUrl } from './page-address.js';
import { CONTENT_SECURITY_POLICY } from './page-protocol.js';
import { windowOptions } from './window-options.js';
import { EN } from './words/en.js';
import { isKey, wordsIn } from './words/index.js';
import { ZH } from './words/zh.js';

/** Every source of the shell, without its tests. */
const sources = readdirSync(__dirname)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(__dirname, name), 'utf8'));

const occurrences = (text: string): number => sources.join('\n').split(text).length - 1;

it('E1: makes windows in one place, with no right that a page needs not', () => {
  expect(occurrences('new BrowserWindow(')).toBe(1);
  const looks = { preload: '/p.js', title: 't', icon: undefined, dark: false, bounds: undefined, devTools: false };
  const { webPreferences } = windowOptions(looks);
  expect(webPreferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
    devTools: false,
  });
  for (const key of Object.keys(webPreferences ?? {})) expect(key).not.toMatch(/experimental|blink/i);
});

it('E3: opens the pages that sign-ins show, and nothing else or that looks like one', () => {
  for (const url of [
    'https://t.me/plum_home_bot?start=k7Qh2mVb9x',
    'https://liteapp.weixin.qq.com/q/7HqT2mVb?qrcode=a81f0c5e&bot_type=3',
    'https://open.feishu.cn/page/launcher?user_code=ABCD-EFGH',
    'https://accounts.feishu.cn/oauth/v1/device?user_code=ABCD-EFGH',
  ])
    expect(allowedLink(url)).toBe(url);
  const closed = [
    'https://weixin.qq.com/',
    'https://core.telegram.org/bots',
    'https://xmpp.org/',
    'https://example.com/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'smb://host/share',
    'ms-msdt:/id',
    'http://t.me/',
    'https://t.me@evil.example/',
    'https://t.me:444/',
    'https://t.me.evil.example/',
    'https://evil.example/https://t.me',
    'https://user:word@t.me/',
    ' ',
  ];
  for (const url of closed) expect(allowedLink(url), url).toBeUndefined();
});

it('E2: knows its own page from what resembles it', () => {
  expect(isPageUrl('xagent://window/index.html#/connect/local')).toBe(true);
  for (const url of [
    'xagent://window.evil/',
    'xagent://x@window/',
    'https://window/',
    'file://window/',
    'about:blank',
    '',
  ])
    expect(isPageUrl(url), url).toBe(false);
});

it('E4: allows nothing unsafe and nothing from elsewhere', () => {
  expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe|https?:|\*/);
  for (const part of ["default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
    expect(CONTENT_SECURITY_POLICY.split('; ')).toContain(part);
});

it('E18: starts nobody who would write down or send what was in memory when it crashed', () => {
  expect(occurrences('crashReporter')).toBe(0);
});

it('has every sentence in both languages, with the same values', () => {
  expect(Object.keys(ZH).sort()).toEqual(Object.keys(EN).sort());
  const values = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].sort();
  for (const [key, text] of Object.entries(EN)) expect(values(ZH[key as keyof typeof EN]), key).toEqual(values(text));
});

it.each(PERSON_ACTS)('says in the tray what the person is to end: %s', (code) => {
  expect(isKey(`reason.${code}`)).toBe(true);
});

it('puts values into sentences, counts in their form, and a space between Chinese and Latin', () => {
  expect(wordsIn('en')('tray.waiting', { count: 1 })).toBe('xAgent Connector: one message waits');
  expect(wordsIn('en')('tray.waiting', { count: 2 })).toBe('xAgent Connector: 2 messages wait');
  expect(wordsIn('zh')('note.sign_in', { network: 'Telegram' })).toBe('Telegram 需要你重新登录');
  expect(wordsIn('zh')('note.sign_in', { network: '微信' })).toBe('微信需要你重新登录');
});
