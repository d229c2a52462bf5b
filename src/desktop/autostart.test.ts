import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAutostart } from './autostart.js';
import { execArgument } from './autostart-entry.js';
import { startCommand } from './autostart-port.js';

const noLoginItems = {
  getLoginItemSettings: () => {
    throw new Error('not on this system');
  },
  setLoginItemSettings: () => {
    throw new Error('not on this system');
  },
};

describe('the command that starts us again', () => {
  it('names the AppImage and not the program mounted from it', () => {
    const process = { execPath: '/tmp/.mount_x/app', env: { APPIMAGE: '/home/a b/x.AppImage' } };
    expect(startCommand(process, undefined, [])).toEqual({ program: '/home/a b/x.AppImage', args: ['--hidden'] });
  });

  it('names the program, its folder in a developer’s run, and the flags that say which data', () => {
    const process = { execPath: '/opt/x/app', env: {} };
    expect(startCommand(process, undefined, ['--data-dir', '/d'])).toEqual({
      program: '/opt/x/app',
      args: ['--hidden', '--data-dir', '/d'],
    });
    expect(startCommand(process, '/src', [])).toEqual({ program: '/opt/x/app', args: ['/src', '--hidden'] });
  });
});

describe('an argument of an Exec line', () => {
  it.each([
    ['/usr/bin/app', '/usr/bin/app'],
    ['--hidden', '--hidden'],
    ['100%', '100%%'],
    ['/home/a b/app', '"/home/a b/app"'],
    ['say "hi"', String.raw`"say \\"hi\\""`],
    ['$HOME`x`', String.raw`"\\$HOME\\` + '`x' + String.raw`\\` + '`"'],
    ['back\\slash', String.raw`"back\\\\slash"`],
  ])('%s', (argument, written) => {
    expect(execArgument(argument)).toBe(written);
  });
});

describe('the session’s entry on Linux', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'xcd-autostart-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const entry = (program: string) =>
    createAutostart(noLoginItems, { program, args: ['--hidden'] }, { platform: 'linux', env: {}, home });
  const file = () => join(home, '.config', 'autostart', 'xagent-connector.desktop');

  it('is off until it is asked for, on, and off without a trace', () => {
    const autostart = entry('/opt/app');
    expect(autostart.facts()).toEqual({ supported: true, enabled: false, problem: undefined });
    expect(autostart.correct().enabled).toBe(false);
    expect(existsSync(file())).toBe(false);
    expect(autostart.set(true)).toEqual({ supported: true, enabled: true, problem: undefined });
    expect(readFileSync(file(), 'utf8')).toContain('\nExec=/opt/app --hidden\n');
    // What the session asks for before it starts anything: an app that was removed is passed over.
    expect(readFileSync(file(), 'utf8')).toContain('\nTryExec=/opt/app\n');
    expect(autostart.set(false).enabled).toBe(false);
    expect(existsSync(file())).toBe(false);
  });

  it('is set right at the start when it names a program that was moved', () => {
    entry('/old/app').set(true);
    expect(entry('/new/app').correct()).toEqual({ supported: true, enabled: true, problem: 'moved' });
    expect(readFileSync(file(), 'utf8')).toContain('Exec=/new/app --hidden\n');
    expect(entry('/new/app').correct().problem).toBeUndefined();
  });

  it('that the session’s own tool switched off stays off', () => {
    const autostart = entry('/opt/app');
    autostart.set(true);
    writeFileSync(file(), readFileSync(file(), 'utf8').replace('enabled=true', 'enabled=false'));
    expect(autostart.facts().enabled).toBe(false);
    expect(entry('/new/app').correct()).toMatchObject({ enabled: false, problem: undefined });
  });

  it('says so when it can’t be written', () => {
    mkdirSync(join(home, '.config'));
    writeFileSync(join(home, '.config', 'autostart'), 'a file where the folder should be');
    expect(entry('/opt/app').set(true)).toEqual({ supported: true, enabled: false, problem: 'write_failed' });
  });
});

describe('login items of macOS and Windows', () => {
  it('are what the system says, also when it refuses', () => {
    let openAtLogin = false;
    let refuses = false;
    const app = {
      getLoginItemSettings: () => ({ openAtLogin }),
      setLoginItemSettings: (settings: { openAtLogin?: boolean }) => {
        if (!refuses) openAtLogin = settings.openAtLogin === true;
      },
    };
    const command = { program: 'C:\\app.exe', args: ['--hidden'] };
    const autostart = createAutostart(app as never, command, { platform: 'win32', env: {}, home: '/' });
    expect(autostart.facts().enabled).toBe(false);
    expect(autostart.set(true)).toEqual({ supported: true, enabled: true, problem: undefined });
    refuses = true;
    expect(autostart.set(false)).toEqual({ supported: true, enabled: true, problem: 'write_failed' });
  });
});
