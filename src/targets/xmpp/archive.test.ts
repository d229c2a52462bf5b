import { describe, expect, it } from 'vitest';
import { Archive, keepsEverything } from './archive.js';
import { StanzaRefused } from './errors.js';
import { NS } from './namespaces.js';
import type { Question } from './requests.js';
import { childOf, el, textOf, type Stanza } from './stanza.js';

const OWN = 'agent@example.org';
const PEER = 'ada@example.org';

function result(queryid: string, id: string, from?: string): Stanza {
  const inner = el('message', { from: PEER }, el('body', {}, id));
  const delay = el('delay', { xmlns: NS.delay, stamp: '2026-01-15T12:00:00Z' });
  return el(
    'message',
    { from },
    el('result', { xmlns: NS.archive, queryid, id }, el('forwarded', { xmlns: NS.forward }, delay, inner)),
  );
}

/** An archive whose answers a test gives: first what comes as messages, then the end. */
function scripted(
  during: (archive: Archive, queryid: string) => void,
  fin: Stanza,
): { archive: Archive; asked: Question[] } {
  const asked: Question[] = [];
  const archive: Archive = new Archive(
    async (question) => {
      asked.push(question);
      during(archive, question.child.attrs['queryid'] ?? '');
      return el('iq', { type: 'result' }, fin);
    },
    OWN,
    PEER,
  );
  return { archive, asked };
}

const fin = (complete: boolean, last?: string): Stanza =>
  el(
    'fin',
    { xmlns: NS.archive, complete: complete ? 'true' : undefined },
    el('set', { xmlns: NS.resultSet }, last === undefined ? undefined : el('last', { xmlns: NS.resultSet }, last)),
  );

describe('reading the archive', () => {
  it('gives the messages of a page with their times, and where it ends', async () => {
    const { archive, asked } = scripted(
      (own, queryid) => {
        own.take(result(queryid, 'a1', OWN));
        own.take(result(queryid, 'a2'));
      },
      fin(false, 'a2'),
    );
    const page = await archive.page({ after: 'a0' }, 50);
    expect(page).toMatchObject({ last: 'a2', complete: false });
    expect(page.messages.map(({ archiveId, stamp }) => [archiveId, stamp])).toEqual([
      ['a1', Date.UTC(2026, 0, 15, 12)],
      ['a2', Date.UTC(2026, 0, 15, 12)],
    ]);
    const set = childOf(asked[0]?.child, 'set', NS.resultSet);
    expect(textOf(childOf(set, 'after', NS.resultSet))).toBe('a0');
  });

  it('takes no results from anybody but the own account, nor for another question', async () => {
    const { archive } = scripted((own, queryid) => {
      expect(own.take(result(queryid, 'forged', 'mallory@example.org'))).toBe(true);
      expect(own.take(result('another', 'stale', OWN))).toBe(true);
    }, fin(true));
    expect((await archive.page({ from: 'start' }, 50)).messages).toEqual([]);
    expect(archive.take(el('message', {}, el('body', {}, 'hi')))).toBe(false);
  });
});

describe('whether the archive keeps everything', () => {
  const prefs =
    (mode: string, always: string[] = [], never: string[] = []) =>
    async () => {
      const list = (name: string, jids: string[]) =>
        el(name, { xmlns: NS.archive }, ...jids.map((jid) => el('jid', { xmlns: NS.archive }, jid)));
      return el(
        'iq',
        {},
        el('prefs', { xmlns: NS.archive, default: mode }, list('always', always), list('never', never)),
      );
    };

  it.each([
    ['it keeps all', prefs('always'), true],
    ['it keeps nothing', prefs('never'), false],
    ['it keeps contacts alone', prefs('roster'), false],
    ['it keeps this one by name', prefs('never', [PEER]), true],
    ['it leaves this one out', prefs('always', [], [PEER]), false],
    ['it does not say', () => Promise.reject(new StanzaRefused('service-unavailable')), false],
  ])('%s', async (_, ask, keeps) => {
    expect(await keepsEverything(ask, PEER)).toBe(keeps);
  });
});
