import { describe, expect, it } from 'vitest';
import { chooseMechanism, SaslBroken } from './sasl.js';

/** The exchanges printed in RFC 5802 section 5 and RFC 7677 section 3. */
const PUBLISHED = [
  {
    mechanism: 'SCRAM-SHA-1',
    nonce: 'fyko+d2lbbFgONRv9qkxdawL',
    challenge: 'r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096',
    answer: 'c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=',
    final: 'v=rmF9pqV8S7suAoZWja4dJRkFsKQ=',
  },
  {
    mechanism: 'SCRAM-SHA-256',
    nonce: 'rOprNGfwEbeRWgbNEkqO',
    challenge: 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
    answer:
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
    final: 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
  },
];

describe('signing in by SASL', () => {
  it.each(PUBLISHED)('speaks $mechanism as published', async ({ mechanism, nonce, challenge, answer, final }) => {
    const run = chooseMechanism([mechanism], 'user', 'pencil', false, nonce);
    expect(run?.first).toBe(`n,,n=user,r=${nonce}`);
    expect(await run?.answer(challenge)).toBe(answer);
    expect(() => run?.verify(final)).not.toThrow();
  });

  it('does not take a server that can not prove the password', async () => {
    const [{ mechanism, nonce, challenge } = { mechanism: '', nonce: '', challenge: '' }] = PUBLISHED;
    const run = chooseMechanism([mechanism], 'user', 'pencil', false, nonce);
    await run?.answer(challenge);
    expect(() => run?.verify('v=AAAAAAAAAAAAAAAAAAAAAAAAAAA=')).toThrow(SaslBroken);
    expect(() => run?.verify('')).toThrow(SaslBroken);
  });

  it.each([
    ['a nonce that is not ours', 'r=other,s=QSXCR+Q6sek8bf92,i=4096'],
    ['our nonce without a part of its own', 'r=mine,s=QSXCR+Q6sek8bf92,i=4096'],
    ['so few rounds that the password is cheap to guess', 'r=mine+theirs,s=QSXCR+Q6sek8bf92,i=1'],
    ['so many rounds that we would stand still', 'r=mine+theirs,s=QSXCR+Q6sek8bf92,i=999999999'],
    ['no salt', 'r=mine+theirs,i=4096'],
  ])('refuses a challenge with %s', async (_, challenge) => {
    const run = chooseMechanism(['SCRAM-SHA-1'], 'user', 'pencil', false, 'mine');
    await expect(run?.answer(challenge)).rejects.toThrow(SaslBroken);
  });

  it('takes the strongest mechanism, and shows the password only where it may', () => {
    const name = (offered: string[], mayShow: boolean) => chooseMechanism(offered, 'u', 'p', mayShow)?.mechanism;
    expect(name(['PLAIN', 'SCRAM-SHA-1', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], true)).toBe('SCRAM-SHA-512');
    expect(name(['PLAIN'], true)).toBe('PLAIN');
    expect(name(['PLAIN'], false)).toBeUndefined();
    expect(name(['X-OAUTH2'], true)).toBeUndefined();
  });

  it('escapes what SCRAM gives a meaning', () => {
    expect(chooseMechanism(['SCRAM-SHA-1'], 'a=b,c', 'p', false, 'x')?.first).toBe('n,,n=a=3Db=2Cc,r=x');
  });
});
