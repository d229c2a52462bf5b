import { describe, expect, it } from 'vitest';
import { Transmissions } from './transmissions.js';

describe('transmissions', () => {
  it('know every packet that carried a message, and no other', () => {
    const transmissions = new Transmissions();
    transmissions.record('c1', 'm1', 'acc', 'p1');
    transmissions.record('c1', 'm1', 'acc', 'p2');
    transmissions.record('c2', 'm1', 'acc2', 'p3');
    expect(transmissions.accountOf('c1', 'm1', 'p1')).toBe('acc');
    expect(transmissions.accountOf('c1', 'm1', 'p2')).toBe('acc');
    expect(transmissions.accountOf('c1', 'm1', 'p3')).toBeUndefined();
    expect(transmissions.accountOf('c1', 'm2', 'p1')).toBeUndefined();
    expect(transmissions.accountOf('c2', 'm1', 'p1')).toBeUndefined();
    transmissions.end('c1', 'm1');
    expect(transmissions.accountOf('c1', 'm1', 'p1')).toBeUndefined();
    expect(transmissions.accountOf('c2', 'm1', 'p3')).toBe('acc2');
  });

  it('of an account the channel had before do not count for the one it has now', () => {
    const transmissions = new Transmissions();
    transmissions.record('c1', 'm1', 'old', 'p1');
    transmissions.record('c1', 'm1', 'new', 'p2');
    expect(transmissions.accountOf('c1', 'm1', 'p1')).toBeUndefined();
    expect(transmissions.accountOf('c1', 'm1', 'p2')).toBe('new');
  });

  it('are bounded, oldest first', () => {
    const transmissions = new Transmissions();
    for (let i = 0; i < 10_000; i += 1) transmissions.record('c', `m${i}`, 'acc', `p${i}`);
    expect(transmissions.size).toBe(4096);
    expect(transmissions.accountOf('c', 'm0', 'p0')).toBeUndefined();
    expect(transmissions.accountOf('c', 'm9999', 'p9999')).toBe('acc');
    for (let i = 0; i < 1_000; i += 1) transmissions.record('c', 'repeated', 'acc', `r${i}`);
    expect(transmissions.accountOf('c', 'repeated', 'r0')).toBeUndefined();
    expect(transmissions.accountOf('c', 'repeated', 'r999')).toBe('acc');
  });
});
