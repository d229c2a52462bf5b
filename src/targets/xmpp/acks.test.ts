import { describe, expect, it } from 'vitest';
import { StreamAcks } from './acks.js';

function active(): StreamAcks {
  const acks = new StreamAcks();
  acks.beginSending();
  acks.beginReceiving();
  return acks;
}

describe('acknowledgments of a stream', () => {
  it('tells of a message once it is dealt with, and of none behind one that is not', () => {
    const acks = active();
    const first = acks.noteReceived();
    const second = acks.noteReceived();
    second();
    expect(acks.handled).toBe(0);
    first();
    expect(acks.handled).toBe(2);
    acks.noteReceived()();
    expect(acks.handled).toBe(3);
  });

  it('counts what follows enable and enabled, nothing before', () => {
    const acks = new StreamAcks();
    acks.noteSent();
    acks.noteReceived()();
    acks.beginSending();
    acks.noteSent();
    acks.noteReceived()();
    acks.beginReceiving();
    expect([acks.sent, acks.handled]).toEqual([1, 0]);
  });

  it('knows what is proven, and sees through a server that claims more than it was sent', () => {
    const acks = active();
    acks.noteSent();
    acks.noteSent();
    expect(acks.prove(1)).toBe(true);
    expect([acks.isProven(1), acks.isProven(2)]).toEqual([true, false]);
    expect(acks.prove(3)).toBe(false);
    expect(acks.prove(Number.NaN)).toBe(false);
    expect(acks.prove(2)).toBe(true);
    expect(acks.isProven(2)).toBe(true);
  });

  it('does not take an older count for a new one', () => {
    const acks = active();
    for (let n = 0; n < 5; n += 1) acks.noteSent();
    expect(acks.prove(5)).toBe(true);
    expect(acks.prove(4)).toBe(false);
  });
});
