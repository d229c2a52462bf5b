import { describe, expect, it } from 'vitest';
import { createWords } from '../../words/index.js';
import { type AuthField, fieldOf, inputOf, problemOf } from './fields.js';

const words = createWords('en');
const field = (name: string, over: Partial<AuthField> = {}): AuthField => ({
  name,
  label: name,
  input_type: 'text',
  required: true,
  ...over,
});

describe('the fields of a sign-in', () => {
  it('are looked at before anybody is asked', () => {
    const token = field('bot_token', { input_type: 'password', secret: true });
    expect(problemOf(token, '', words)).toBe('Fill this in.');
    expect(problemOf(token, '7904412368', words)).toBe('This isn’t a bot token. One looks like 7904412368:AAH…');
    expect(problemOf(token, ' 7904412368:AAHfiqksKZ8WmR2zSjiQ7_v4TMAKdiHm9T0\n', words)).toBeUndefined();
    expect(problemOf(field('jid'), 'otter@exam ple.org', words)).toBe('There is a space in this address.');
    expect(problemOf(field('jid'), 'otter', words)).toBe(
      'This isn’t the address of an account. One looks like otter@example.org.',
    );
    expect(problemOf(field('chat_id', { required: false }), '', words)).toBeUndefined();
    expect(problemOf(field('chat_id', { required: false }), '−1001234567890', words)).toBeUndefined();
  });

  it('of a network that is new here are only required or not', () => {
    expect(problemOf(field('pin'), '', words)).toBe('Fill this in.');
    expect(problemOf(field('pin'), 'anything at all', words)).toBeUndefined();
  });

  it('go out without what was left empty and without spaces of a paste, a password as it is', () => {
    const password = field('password', { input_type: 'password', secret: true });
    const fields = [field('jid'), password, field('chat_id', { required: false }), field('nick', { required: false })];
    expect(inputOf(fields, { jid: ' otter@example.org ', password: ' a b ', chat_id: '−100' })).toEqual({
      jid: 'otter@example.org',
      password: ' a b ',
      chat_id: '-100',
    });
  });

  it('are found by what a refusal is about, where this form has them', () => {
    const telegram = [field('bot_token'), field('chat_id')];
    expect(fieldOf('telegram_token_refused', telegram)).toBe('bot_token');
    expect(fieldOf('telegram_chat_not_found', telegram)).toBe('chat_id');
    expect(fieldOf('xmpp_credentials_refused', telegram)).toBeUndefined();
    expect(fieldOf('network_unreachable', telegram)).toBeUndefined();
  });
});
