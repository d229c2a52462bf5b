import { describe, expect, it } from 'vitest';
import { FlagError, readFlags } from './flags.js';

const developed = (...args: string[]) => readFlags(['/electron', ...args], 'developed');
const packaged = (...args: string[]) => readFlags(['/app', ...args], 'packaged');
const nothing = { config: undefined, dataDir: undefined, hidden: false, readyJson: false };

describe('the command line', () => {
  it('may be empty', () => {
    expect(developed('.')).toEqual(nothing);
    expect(packaged()).toEqual(nothing);
  });

  it('takes our flags in both spellings', () => {
    expect(developed('.', '--config', 'a b.json', '--data-dir=/d', '--hidden', '--ready-json')).toEqual({
      config: 'a b.json',
      dataDir: '/d',
      hidden: true,
      readyJson: true,
    });
  });

  it('leaves the switches of Chromium and Electron to them', () => {
    expect(
      developed('-r', '/loader.js', '--inspect=0', '--remote-debugging-port=0', '--no-sandbox', '.', '--hidden'),
    ).toEqual({
      ...nothing,
      hidden: true,
    });
    expect(packaged('--ozone-platform-hint=auto', '--disable-gpu', '-psn_0_1', '--no-sandbox')).toEqual(nothing);
  });

  it.each([
    ['--bogus', /unknown option --bogus/],
    ['--port=1', /unknown option --port/],
    ['--config', /--config needs a value/],
    ['--data-dir=', /--data-dir is empty/],
    ['--hidden=1', /--hidden takes no value/],
    ['file.txt', /unexpected argument file.txt/],
  ])('refuses %s', (flag, reason) => {
    expect(() => packaged(flag)).toThrow(FlagError);
    expect(() => packaged(flag)).toThrow(reason);
  });

  it.each(['--inspect', '--inspect-brk=9229', '--remote-debugging-port=9222', '--remote-debugging-pipe'])(
    'E15: refuses %s in a packaged program',
    (flag) => {
      expect(() => packaged(flag)).toThrow(/is not allowed here/);
    },
  );
});
