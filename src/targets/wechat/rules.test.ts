import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../host/config.js';
import type { StoredFile } from '../../files/file-store.js';
import { codePoints, utf8Bytes } from '../split-text.js';
import { mapBatch } from './inbound.js';
import { parseLossless } from './lossless-json.js';
import { cipherSize, decodeMediaKey, encodeMediaKey, encryptor, mediaKeyFor } from './media-crypto.js';
import { partOf } from './partial-quote.js';
import { LARGE_PART, MAX_USUAL_PARTS, planParts, USUAL_PART } from './plan.js';
import { newSealKey, seal, unseal } from './sealed.js';
import { TrustedHosts } from './trust.js';
import { clientVersion, DEFAULT_VERSIONS } from './versions.js';

const measure = (text: string, count: (point: number) => number) =>
  Array.from(text).reduce((sum, char) => sum + count(char.codePointAt(0) ?? 0), 0);

describe('lossless ids', () => {
  it('keeps every uint64, bare or quoted, and touches nothing else', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.json(), fc.string(), (id, json, words) => {
        const raw = `{"message_id" : ${id},"n":[{"msg_id":"${id}","svr_id":${id}}],"text":${JSON.stringify(words)},"x":0}`;
        const text = String(id);
        expect(parseLossless(raw)).toEqual({
          message_id: text,
          n: [{ msg_id: text, svr_id: text }],
          text: words,
          x: 0,
        });
        expect(parseLossless(JSON.stringify({ text: json }))).toEqual({ text: json });
      }),
    );
  });

  it('leaves words alone that look like a key', () => {
    for (const words of ['"message_id":5}', '\\"message_id\\": 5,', '{"svr_id":1}', 'message_id']) {
      expect(parseLossless(JSON.stringify({ text: words, message_id: 'x' }))).toEqual({ text: words, message_id: 'x' });
    }
  });
});

describe('what a batch may hold', () => {
  it('is anything at all: one result an entry, the same every time, and never a throw', () => {
    const item = fc.record({ type: fc.anything(), text_item: fc.anything(), ref_msg: fc.anything() });
    const entry = fc.oneof(
      fc.anything(),
      fc.record({
        from_user_id: fc.constant('me'),
        item_list: fc.array(item),
        message_id: fc.anything(),
        seq: fc.anything(),
      }),
    );
    const context = {
      ownerId: 'me',
      botId: 'bot',
      cursor: 'c',
      sealLocator: () => 'sealed',
      quoted: () => undefined,
    };
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const mapped = mapBatch(entries, context);
        expect(mapped).toHaveLength(entries.length);
        expect(mapBatch(entries, context)).toEqual(mapped);
      }),
    );
  });
});

describe('cutting a text', () => {
  const texts = (text: string) =>
    planParts({ text, files: [] }).map((part) => (part.kind === 'text' ? part.text : 'not a text'));

  it('keeps code points and bytes, loses nothing, and never needs more replies than there are', () => {
    const anyText = fc.array(fc.oneof(fc.constant('字'), fc.constant('👩🏽‍🚀'), fc.constant('word. '), fc.string()), {
      maxLength: 4_000,
    });
    fc.assert(
      fc.property(anyText, (pieces) => {
        const text = pieces.join('');
        const parts = texts(text);
        expect(parts.join('')).toBe(text);
        const size = parts.length > MAX_USUAL_PARTS ? LARGE_PART : USUAL_PART;
        for (const part of parts) {
          expect(measure(part, codePoints)).toBeLessThanOrEqual(LARGE_PART.codePoints);
          expect(measure(part, utf8Bytes)).toBeLessThanOrEqual(LARGE_PART.bytes);
          expect(size.bytes).toBeLessThanOrEqual(16 * 1024);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('takes large parts only where usual ones would use up the replies', () => {
    expect(texts('字'.repeat(1_800))).toHaveLength(1);
    expect(texts('a'.repeat(1_801))).toHaveLength(2);
    expect(texts('a'.repeat(1_800 * MAX_USUAL_PARTS))).toHaveLength(MAX_USUAL_PARTS);
    expect(texts('a'.repeat(1_800 * MAX_USUAL_PARTS + 1))).toHaveLength(4);
  });

  it('does not cut a code block that fits into a part', () => {
    const block = `\`\`\`js\n${'x = 1;\n'.repeat(100)}\`\`\`\n`;
    const parts = texts(`${'intro '.repeat(250)}\n${block}end`);
    expect(parts.some((part) => part.includes(block))).toBe(true);
  });

  it('refuses as a whole what would never arrive as a whole', () => {
    expect(() => texts('a'.repeat(40_001))).toThrow('send it as a file');
    const files = Array.from({ length: 10 }, () => ({ byteSize: 1 }) as StoredFile);
    expect(() => planParts({ text: 'ten files', files })).toThrow('send it as a file');
    expect(planParts({ text: '', files })).toHaveLength(10);
  });
});

describe('media keys', () => {
  it('fill up to the next block, a full one when it fits exactly', () => {
    expect([0, 1, 15, 16, 17, 31, 32].map(cipherSize)).toEqual([16, 16, 16, 32, 32, 32, 48]);
    for (const size of [0, 15, 16, 47]) {
      const cipher = encryptor(randomBytes(16));
      const out = Buffer.concat([cipher.update(Buffer.alloc(size)), cipher.final()]);
      expect(out.length).toBe(cipherSize(size));
    }
  });

  it('go out as base64 of their hex, and come in in every form', () => {
    const key = randomBytes(16);
    const hex = key.toString('hex');
    expect(encodeMediaKey(key)).toBe(Buffer.from(hex).toString('base64'));
    expect(encodeMediaKey(key)).toHaveLength(44);
    expect(decodeMediaKey(hex, undefined)).toEqual(key);
    expect(decodeMediaKey(undefined, hex)).toEqual(key);
    expect(decodeMediaKey(undefined, key.toString('base64'))).toEqual(key);
    expect(decodeMediaKey(undefined, encodeMediaKey(key))).toEqual(key);
    expect(decodeMediaKey('broken', key.toString('base64'))).toEqual(key);
    expect(decodeMediaKey(undefined, undefined)).toBeUndefined();
    expect(decodeMediaKey('zz', 'AAAA')).toBe('unreadable');
  });

  it('depend on content and account', () => {
    expect(mediaKeyFor('a', 'x')).toEqual(mediaKeyFor('a', 'x'));
    expect(mediaKeyFor('a', 'x')).not.toEqual(mediaKeyFor('a', 'y'));
    expect(mediaKeyFor('a', 'x')).not.toEqual(mediaKeyFor('b', 'x'));
  });
});

describe('what is sealed', () => {
  it('opens with its key alone, and damage shows', () => {
    const key = newSealKey();
    const sealed = seal(key, '令牌 token');
    expect(unseal(key, sealed)).toBe('令牌 token');
    expect(seal(key, 'same')).not.toBe(seal(key, 'same'));
    expect(unseal(newSealKey(), sealed)).toBeUndefined();
    expect(unseal(key, `${sealed.slice(0, -4)}AAAA`)).toBeUndefined();
    expect(unseal(key, '')).toBeUndefined();
  });
});

describe('the hosts we talk to', () => {
  const { apiBaseUrl, cdnBaseUrl } = parseConfig({}).connectors.wechat;
  const trust = new TrustedHosts([apiBaseUrl, cdnBaseUrl], ['media.example', 'other.example:8443']);

  it.each([
    'https://ilinkai.weixin.qq.com/x',
    'https://szshort.weixin.qq.com',
    'https://weixin.qq.com:443/',
    'https://novac2c.cdn.weixin.qq.com/c2c/upload?x=1',
    'https://web.wechat.com/',
    'https://MEDIA.example/a',
    'https://other.example:8443/a',
  ])('%s is trusted', (url) => {
    expect(trust.check(url).protocol).toBe('https:');
  });

  it.each([
    'http://ilinkai.weixin.qq.com/',
    'https://ilinkai.weixin.qq.com:444/',
    'https://weixin.qq.com.example/',
    'https://evilweixin.qq.com/',
    'https://weixin.qq.com@evil.example/',
    'https://user:pw@ilinkai.weixin.qq.com/',
    'https://evil.example/?https://weixin.qq.com',
    'https://127.0.0.1/',
    'https://[::1]/',
    'http://media.example/',
    'https://other.example/',
    'ftp://weixin.qq.com/',
    'file:///etc/passwd',
    'weixin.qq.com',
    '//weixin.qq.com/',
    '',
  ])('%s is not', (url) => {
    expect(() => trust.check(url)).toThrow('not trusted');
  });

  it('trusts a local base exactly as it is configured', () => {
    const local = new TrustedHosts(['http://127.0.0.1:4000/ilink'], []);
    expect(local.check('http://127.0.0.1:4000/any').port).toBe('4000');
    expect(() => local.check('http://127.0.0.1:4001/')).toThrow();
    expect(() => local.check('https://127.0.0.1:4000/')).toThrow();
    expect(local.checkHost('127.0.0.1:4000')).toBe('http://127.0.0.1:4000');
    expect(local.checkHost('a.weixin.qq.com')).toBe('https://a.weixin.qq.com');
    expect(local.checkBase('a.weixin.qq.com/path/?q#f')).toBe('https://a.weixin.qq.com/path');
  });
});

describe('a quote of a part', () => {
  const text = 'red green blue green red';
  const mark = { start: 'green', end: 'red', startIndex: 0, endIndex: 1, md5: undefined };
  it('is cut by first and last words and their occurrence', () => {
    expect(partOf(text, mark)).toBe('green blue green red');
    expect(partOf(text, { ...mark, startIndex: 1, endIndex: 0, md5: undefined })).toBe('green red');
    expect(partOf(text, { ...mark, start: 'black' })).toBeUndefined();
    expect(partOf(text, { ...mark, startIndex: 9 })).toBeUndefined();
  });

  it('believes the hash where there is one', () => {
    expect(partOf(text, { ...mark, md5: '0'.repeat(32) })).toBeUndefined();
  });
});

describe('versions', () => {
  it('are packed as the network reads them', () => {
    expect(['2.2.0', '2.4.6', '2.4.9', '1.0.11'].map(clientVersion)).toEqual(['131584', '132102', '132105', '65547']);
  });

  it('are configured with the defaults that stand here', () => {
    const { clientVersion: version, botAgent } = parseConfig({}).connectors.wechat;
    expect({ channelVersion: version, botAgent }).toEqual(DEFAULT_VERSIONS);
  });

  it.each(['2.4', '2.4.256', 'v2.4.9', '2.4.9-beta', ''])('%j is refused', (version) => {
    expect(() => parseConfig({ connectors: { wechat: { clientVersion: version } } })).toThrow('clientVersion');
  });

  it.each(['no-version', 'a/1 (comment)', 'a/1  b/2', 'a/1\n'])('%j is no agent', (agent) => {
    expect(() => parseConfig({ connectors: { wechat: { botAgent: agent } } })).toThrow('botAgent');
  });
});
