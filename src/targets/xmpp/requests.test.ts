import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { answerTo } from './answers.js';
import { NS } from './namespaces.js';
import { ANSWER_DEADLINE_MS, Requests } from './requests.js';
import { el, elementsOf, type Stanza } from './stanza.js';

function rig() {
  const clock = new ManualClock();
  const sent: Stanza[] = [];
  const requests = new Requests(
    clock,
    async (stanza) => void sent.push(stanza),
    (from) => from === undefined,
  );
  const answer = (attrs: Record<string, string>): void =>
    requests.take(el('iq', { type: 'result', id: sent[0]?.attrs['id'], ...attrs }));
  return { clock, requests, answer };
}

const question = { type: 'get', to: 'upload.example.org', child: el('query', { xmlns: NS.discoInfo }) } as const;

describe('questions', () => {
  it('are answered by whom they were asked, and by nobody else who guesses the id', async () => {
    const { requests, answer } = rig();
    const asked = requests.ask(question);
    answer({ from: 'mallory@example.org', note: 'forged' });
    answer({ from: 'Upload.example.org', note: 'real' });
    expect((await asked).attrs['note']).toBe('real');
  });

  it('end with a deadline', async () => {
    const { clock, requests } = rig();
    const asked = expect(requests.ask(question)).rejects.toMatchObject({ code: 'no_answer', effect: 'unknown' });
    await clock.advance(ANSWER_DEADLINE_MS);
    await asked;
    expect(clock.timers).toBe(0);
  });

  it('end with their signal', async () => {
    const { requests } = rig();
    const abort = new AbortController();
    const asked = requests.ask({ ...question, signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toMatchObject({ code: 'aborted' });
  });

  it('tell a refusal by its condition', async () => {
    const { requests } = rig();
    const abort = requests.ask({ type: 'get', child: question.child });
    requests.take(el('iq', { type: 'error', id: 'unknown' }));
    requests.fail(new Error('the line is over'));
    await expect(abort).rejects.toThrow('the line is over');
  });
});

describe('questions of others', () => {
  const ask = (type: string, child: Stanza, from = 'ada@example.org/phone') =>
    answerTo(el('iq', { type, id: '7', from }, child), 'agent@example.org');

  it('get what we can do, and a ping its answer', () => {
    expect(ask('get', el('ping', { xmlns: NS.ping })).attrs).toEqual({
      type: 'result',
      id: '7',
      to: 'ada@example.org/phone',
    });
    const [query] = elementsOf(ask('get', el('query', { xmlns: NS.discoInfo, node: 'n' })));
    expect(query?.attrs['node']).toBe('n');
    expect(elementsOf(query).map(({ attrs }) => attrs['var'])).toContain(NS.receipts);
  });

  it('get a no for everything else, and a forged roster push too', () => {
    expect(ask('set', el('query', { xmlns: NS.roster })).attrs['type']).toBe('error');
    expect(ask('set', el('query', { xmlns: NS.roster }), 'agent@example.org').attrs['type']).toBe('result');
    expect(ask('get', el('query', { xmlns: 'jabber:iq:version' })).attrs['type']).toBe('error');
  });
});
