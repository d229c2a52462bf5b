import { describe, expect, it } from 'vitest';
import { LISTS_BY_VIEW, LISTS } from './lists.js';
import { namesIn, type Phrase } from './phrase.js';
import { createWords } from './words.js';

const en = createWords('en');
const zh = createWords('zh');

const textsOf = (phrase: Phrase): readonly string[] =>
  typeof phrase === 'string' ? [phrase] : [phrase.one, phrase.other];

describe('the words of the window', () => {
  it('have one meaning for each code: no two views use the same', () => {
    const codes = LISTS_BY_VIEW.flatMap((list) => Object.keys(list));
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    expect(codes.length).toBe(Object.keys(LISTS.en).length);
  });

  it('name the same values in both languages, and nothing is left empty', () => {
    const differing = Object.entries(LISTS.en).filter(([code, phrase]) => {
      const english = new Set(textsOf(phrase).flatMap(namesIn));
      const chinese = new Set(textsOf((LISTS.zh as Record<string, Phrase>)[code] ?? '').flatMap(namesIn));
      return [...english].sort().join() !== [...chinese].sort().join();
    });
    expect(differing.map(([code]) => code)).toEqual([]);
    const empty = [LISTS.en, LISTS.zh].flatMap((list) =>
      Object.entries(list).filter(([, phrase]) => textsOf(phrase).some((text) => text.trim() === '')),
    );
    expect(empty).toEqual([]);
  });

  it('keep to the words of the design: no oops, no straight quotes in sentences, “你” and “账号”', () => {
    const english = Object.entries(LISTS.en).flatMap(([code, phrase]) => textsOf(phrase).map((text) => [code, text]));
    expect(
      english.filter(([, text]) => /\b(oops|please|successfully|invalid|unable)\b|[a-z]'[a-z]/i.test(text ?? '')),
    ).toEqual([]);
    const chinese = Object.entries(LISTS.zh);
    expect(chinese.filter(([, phrase]) => /您|帐号/.test(textsOf(phrase).join('')))).toEqual([]);
  });

  it('choose the plural form by n, in English and in Chinese', () => {
    expect(en.t('nav.need_you', { n: 1 })).toBe('1 needs you');
    expect(en.t('nav.need_you', { n: 3 })).toBe('3 need you');
    expect(zh.t('nav.need_you', { n: 1 })).toBe('1 个需要处理');
    expect(en.t('nav.waiting', { n: 1234 })).toBe('1,234 messages wait');
  });

  it('set names into Chinese with a space beside Latin letters and none beside Han', () => {
    expect(zh.t('connect.to', { network: '微信' })).toBe('连接微信');
    expect(zh.t('connect.to', { network: 'Telegram' })).toBe('连接 Telegram');
    expect(zh.code('state', 'rate_limited', { network: '飞书' })).toBe('飞书要求放慢速度。');
    expect(zh.code('state', 'rate_limited', { network: 'XMPP' })).toBe('XMPP 要求放慢速度。');
    expect(zh.t('sign_out.title', { network: 'XMPP' })).toBe('退出 XMPP 登录？');
  });

  it('say a code of a number by its family, and an unknown one with the code itself', () => {
    expect(en.code('state', 'http_502', { host: 'example.org' })).toBe('example.org answers with HTTP 502.');
    expect(en.code('state', 'ret_-14', { network: 'WeChat' })).toBe('WeChat answers with its code -14.');
    expect(en.code('state', 'of_next_year', { network: 'WeChat' })).toBe(
      'WeChat doesn’t work as it should (code of_next_year).',
    );
    expect(en.knows('state', 'other')).toBe(false);
  });

  it('call a network by its name where one is known', () => {
    expect(zh.network('wechat', 'WeChat')).toBe('微信');
    expect(zh.network('irc', 'IRC')).toBe('IRC');
  });

  it('leave a value that is missing visible instead of saying nothing', () => {
    expect(en.code('state', 'timeout')).toBe('{host} doesn’t answer in time.');
  });
});
