import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { words } from './messages.js';

const TARGETS = join(import.meta.dirname, '..', 'targets');

/** How the networks' code names a code: in an error, a state, a table of refusals, or as what a sign-in shows. */
const PLACES = [
  /\b(?:SignInFailure|TransportError|TargetRefusal|lineLost)\(\s*'([a-z_]+)'/g,
  /\b(?:busy|no)\('([a-z_]+)'/g,
  /\bcode: '([a-z_]+)'/g,
  /(?:CODES|REFUSED)\b[^=\n]* = (?:'([a-z_]+)'|\{[^}]*\})/g,
  /\bmessage: '([a-z]+(?:_[a-z]+)+)'/g,
  /\b(?:code|message) = [^;]*\? '([a-z_]+)' : '[a-z_]+';/g,
  /\b(?:code|message) = [^;]*\? '[a-z_]+' : '([a-z_]+)';/g,
  /#showLink\('([a-z_]+)'/g,
];

/** Met by one message, one file or one call only, where the refusal brings its own words and the account's state does not change. */
const OF_ONE_CALL = new Set<string>([
  'bad_arguments',
  'bad_recipient',
  'being_sent',
  'card_closed',
  'card_refused',
  'card_sequence',
  'chat_not_found',
  'content_refused',
  'draft_refused',
  'entities_refused',
  'file_empty',
  'file_gone',
  'file_too_large',
  'file_unavailable',
  'group_migrated',
  'link_refused',
  'media_gone',
  'media_refused',
  'media_unreadable',
  'message_empty',
  'message_gone',
  'message_too_long',
  'method_unknown',
  'no_rights',
  'not_modified',
  'not_ours',
  'preview_gone',
  'recipient_refused',
  'recipient_unavailable',
  'reply_window',
  'reply_window_closed',
  'send_unclear',
  'text_too_long',
  'topic_gone',
  'unknown_account',
  'upload_refused',
  'upload_unconfirmed',
  'upload_unsupported',
]);

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /(?<!\.test|\.d)\.ts$/.test(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

function codesIn(text: string): string[] {
  return PLACES.flatMap((place) =>
    Array.from(text.matchAll(place)).flatMap(([whole, code]) =>
      code === undefined ? Array.from(whole.matchAll(/: '([a-z_]+)'/g), ([, each]) => each ?? '') : [code],
    ),
  );
}

const used = new Set(sources(TARGETS).flatMap(codesIn));

describe('the words of a code', () => {
  it('are found in every network, so that the search itself is not blind', () => {
    const known = ['telegram_chat_blocked', 'used_elsewhere', 'too_many_connections', 'stale_token', 'offset_ignored'];
    for (const code of [...known, 'credentials_refused', 'qr_renewing', 'scan_qr', 'verify_code', 'signed_out'])
      expect(used).toContain(code);
  });

  it.each([...used].filter((code) => !OF_ONE_CALL.has(code)).sort())('exist for %s', (code) => {
    expect(words(code, '')).toMatch(/^[A-Z].*[.?]$/);
  });

  it.each(['disk_full', 'read_only', 'damaged', 'closed', 'failed'])('exist for a disk that is %s', (code) => {
    expect(words(`store_${code}`, '')).not.toBe('');
  });

  it.each(['http_502', 'ret_-7', 'feishu_99991'])('exist for what a network numbered: %s', (code) => {
    expect(words(code, '')).not.toBe('');
  });

  it.each([...OF_ONE_CALL].sort())('are not needed for %s, which a network still uses', (code) => {
    expect(used).toContain(code);
    expect(words(code, '')).toBe('');
  });
});
