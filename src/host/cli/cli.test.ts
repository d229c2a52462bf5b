import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostInProcess, type HostInProcess } from '../../../test/support/host-in-process.js';
import { takePassphrase } from '../passphrase.js';
import { accountsCommand } from './accounts.js';
import { apiKeyCommand } from './api-key.js';
import { readArgs, readPort } from './args.js';
import { COMMANDS, PLACE_FLAGS, type CommandName, type CommandSpec } from './command-specs.js';
import { doctorCommand } from './doctor.js';
import { commandHelp, overview } from './help.js';
import { CliError, ExitCode, type CliIo } from './io.js';
import { ask } from './prompt.js';
import { readyFacts, readyWords } from './serve.js';
import { signInCommand } from './sign-in.js';
import { askedAnswers, pipedAnswers } from './sign-in-input.js';
import { idOf, signOutCommand } from './sign-out.js';
import { uiCommand } from './ui.js';

class Terminal implements CliIo {
  readonly stdin = new PassThrough();
  out = '';
  err = '';
  readonly stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      this.out += chunk.toString();
      done();
    },
  });
  readonly stderr = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      this.err += chunk.toString();
      done();
    },
  });
  readonly env: NodeJS.ProcessEnv = {};
  constructor(readonly interactive = false) {}

  type(text: string): this {
    this.stdin.write(text);
    return this;
  }

  pipe(text: string): this {
    this.stdin.end(text);
    return this;
  }
}

describe('arguments', () => {
  const usage = (fn: () => unknown): string => {
    try {
      fn();
    } catch (error) {
      if (error instanceof CliError && error.exitCode === ExitCode.usage) return error.message;
      throw error;
    }
    return '';
  };

  test("an empty value, as an unset shell variable leaves it, is refused by the flag's name", () => {
    expect(usage(() => readArgs(['--data-dir', ''], COMMANDS.ui))).toContain('--data-dir is empty');
  });

  test('unknown flags, missing values and wrong arguments are named and are the asker’s mistake', () => {
    expect(usage(() => readArgs(['--prot', '1'], COMMANDS.serve))).toContain("'--prot'");
    expect(usage(() => readArgs(['--port'], COMMANDS.serve))).toContain('--port');
    expect(usage(() => readArgs(['--port', '-1'], COMMANDS.serve))).toMatch(
      /^Option '--port' argument is ambiguous\. --help /,
    );
    expect(usage(() => readArgs(['--json=1'], COMMANDS.accounts))).toContain('--json');
    expect(usage(() => readArgs(['a', 'b'], COMMANDS['sign-out']))).toContain('b');
    expect(usage(() => readArgs([], COMMANDS['sign-out']))).toContain('<account>');
    expect(usage(() => readArgs(['--prot'], COMMANDS.ui))).toContain('--help');
  });

  test.each(['', '-1', '65536', '1e3', '80a', ' 80'])('"%s" is no port', (text) => {
    expect(usage(() => readPort(text))).toContain('--port');
  });

  test('a port is a number from 0 to 65535', () => {
    expect([readPort('0'), readPort('65535')]).toEqual([0, 65_535]);
  });
});

describe('help', () => {
  const all = Object.entries<CommandSpec>(COMMANDS) as [CommandName, CommandSpec][];

  test.each(all)(
    'of %s says how it is used, what it does, each flag with its default, how it ends, and an example',
    (name, spec) => {
      const help = commandHelp(name);
      const words = help.replace(/\s+/g, ' ');
      expect(help).toMatch(new RegExp(`^Usage: node dist/cli\\.js ${name}[ \\n]`));
      expect(words).toContain(spec.about);
      for (const [arg, meaning] of Object.entries(spec.args)) expect(words).toContain(`<${arg}> ${meaning}`);
      for (const [flag, { value, meaning, fallback }] of Object.entries(spec.flags))
        expect(words).toContain(`--${flag}${value === undefined ? '' : ` ${value}`} ${meaning} (default: ${fallback})`);
      expect(words).toMatch(/Exit codes 0 .+ 1 .+ 2 asked wrongly/);
      expect(help).toMatch(new RegExp(`Example\n  node dist/cli\\.js ${name}\\b`));
    },
  );

  test.each(all)('of %s gives an example that the command takes', (name, spec) => {
    const [first, ...rest] = spec.example.split(' ');
    expect(first).toBe(name);
    expect(() => readArgs(rest, spec)).not.toThrow();
  });

  test('the overview has every command with its own flags, and those of all once', () => {
    for (const [name, { summary, flags }] of all) {
      const line =
        overview()
          .split('\n')
          .find((text) => text.startsWith(`  ${name} `)) ?? '';
      expect(line).toContain(summary);
      for (const flag of Object.keys(flags)) expect(line.includes(`[--${flag}`)).toBe(!(flag in PLACE_FLAGS));
    }
    for (const flag of Object.keys(PLACE_FLAGS)) expect(overview()).toContain(`  --${flag}`);
  });

  test.each([overview(), ...all.map(([name]) => commandHelp(name))])('fits a terminal of a hundred columns', (text) => {
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });
});

test('the ready line is exactly what scripts were promised', () => {
  const facts = readyFacts({
    url: 'http://127.0.0.1:19080',
    connectors: [{ cardId: 'im.wechat', baseUrl: 'http://127.0.0.1:19080/wechat' }],
  });
  expect(JSON.stringify(facts)).toBe(
    `{"event":"ready","pid":${process.pid},"url":"http://127.0.0.1:19080","ui_url":"http://127.0.0.1:19080/ui/",` +
      '"connectors":[{"connector_card_id":"im.wechat","base_url":"http://127.0.0.1:19080/wechat"}]}',
  );
});

describe('a person who starts it in a terminal', () => {
  const ready = {
    url: 'http://127.0.0.1:19080',
    connectors: [{ connector_card_id: 'im.wechat', base_url: 'http://127.0.0.1:19080/wechat' }],
  };

  test('reads where agents connect and how to get the key', () => {
    const words = readyWords(ready, { kind: 'keychain', state: 'ready', code: undefined }).join('\n');
    expect(words).toContain('im.wechat  http://127.0.0.1:19080/wechat');
    expect(words).toContain('node dist/cli.js api-key');
  });

  test('is told what to do when no secrets can be read, and not of a key that nobody can get', () => {
    const words = readyWords(ready, { kind: 'keychain', state: 'absent', code: 'keychain_absent' }).join('\n');
    expect(words).toContain('secrets.store to "file" with XAGENT_CONNECTOR_PASSPHRASE');
    expect(words).not.toContain('api-key');
  });
});

test('the passphrase is taken out of the environment, so that no child inherits it', () => {
  const env: NodeJS.ProcessEnv = { XAGENT_CONNECTOR_PASSPHRASE: 'p' };
  expect(takePassphrase(env)).toBe('p');
  expect(env).toEqual({});
});

describe('questions', () => {
  test('a secret answer is not shown, the question is', async () => {
    const io = new Terminal(true);
    const answer = ask(io, 'Bot token: ', { secret: true });
    io.type('canary-token\n');
    expect(await answer).toBe('canary-token');
    expect(io.err).toContain('Bot token: ');
    expect(io.err + io.out).not.toContain('canary');
  });

  test('one that is ended instead of answered says so plainly, and is no fault', async () => {
    const io = new Terminal(true);
    const answer = ask(io, 'Bot token: ', { secret: true });
    io.stdin.push(null);
    await expect(answer).rejects.toMatchObject({ name: 'CliError', message: expect.stringMatching(/^Canceled/) });
  });

  const flow = {
    id: 'f',
    target_type: 'im',
    type: 'form',
    title: 'F',
    fields: [
      { name: 'token', label: 'Token', input_type: 'password', required: true, secret: true },
      { name: 'chat', label: 'Chat', input_type: 'text' },
    ],
  } as const;
  const form = { ...flow, fields: [...flow.fields] };

  test('without a terminal a required field is an error that says what to do', async () => {
    await expect(askedAnswers(new Terminal()).form(form)).rejects.toThrow(/--input-stdin/);
  });

  test('piped answers are one JSON object of texts; only the form’s own fields are used', async () => {
    const answers = await pipedAnswers(new Terminal().pipe('{"token":"t","verify_code":"42"}'));
    expect(await answers.form(form)).toEqual({ token: 't' });
    expect(await answers.more(['verify_code'])).toEqual({ verify_code: '42' });
    await expect(answers.more(['verify_code'])).rejects.toThrow('verify_code');
  });

  test('a piped number is the text of its digits, as in an agent’s form, and null is nothing', async () => {
    const answers = await pipedAnswers(new Terminal().pipe('{"token":123456789,"verify_code":null}'));
    expect(await answers.form(form)).toEqual({ token: '123456789' });
    await expect(answers.more(['verify_code'])).rejects.toThrow('verify_code');
  });

  test.each(['', 'x', '[]', '{"token":true}', '{"token":["t"]}'])('piped %j is refused', async (text) => {
    await expect(pipedAnswers(new Terminal().pipe(text))).rejects.toThrow(/--input-stdin expects/);
  });

  test('a missing field is named', async () => {
    const answers = await pipedAnswers(new Terminal().pipe('{}'));
    await expect(answers.form(form)).rejects.toThrow('token');
  });
});

describe('on a running host', () => {
  let running: HostInProcess;
  let place: string[];
  beforeAll(async () => {
    running = await hostInProcess();
    place = ['--data-dir', running.dataDir];
  });
  afterAll(() => running.destroy());

  test('a person signs in, is listed, and signs out', async () => {
    const signIn = new Terminal().pipe('{"display_name":"Ada"}');
    expect(await signInCommand(['local', '--input-stdin', ...place], signIn)).toBe(ExitCode.done);
    const accountId = /\((acc_[^)]+)\)/.exec(signIn.out)?.[1] ?? '';
    expect(signIn.out).toContain('Signed in: Ada');

    const list = new Terminal();
    await accountsCommand(['--json', ...place], list);
    expect(JSON.parse(list.out)).toMatchObject([{ account_id: accountId, connector: 'local', status: 'connected' }]);
    const lines = new Terminal();
    await accountsCommand(place, lines);
    expect(lines.out).toContain('Ada');

    expect(await signOutCommand([accountId, ...place], new Terminal())).toBe(ExitCode.done);
    await expect(signOutCommand([accountId, ...place], new Terminal())).rejects.toMatchObject({ exitCode: 1 });
  });

  test('an account is signed out by its name as well', async () => {
    await signInCommand(['local', '--input-stdin', ...place], new Terminal().pipe('{"display_name":"Grace H."}'));
    expect(await signOutCommand(['Grace H.', ...place], new Terminal())).toBe(ExitCode.done);
    const list = new Terminal();
    await accountsCommand(place, list);
    expect(list.out).not.toContain('Grace H.');
  });

  test('who is named like nobody is not signed out', async () => {
    await expect(signOutCommand(['Grace H.', ...place], new Terminal())).rejects.toMatchObject({
      exitCode: ExitCode.failed,
      message: expect.stringContaining('no account Grace H.'),
    });
  });

  test('a connector that is not there is refused with those that are', async () => {
    await expect(signInCommand(['nowhere', ...place], new Terminal())).rejects.toThrow(/no connector nowhere.*local/);
  });

  test('a link to the window in a browser is printed alone on its line, a fresh one each time', async () => {
    const lines = [new Terminal(), new Terminal()];
    for (const io of lines) await uiCommand(place, io);
    const [first, second] = lines.map(({ out }) => out);
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ui\/#token=[\w-]{43}\n$/);
    expect(second).not.toBe(first);
  });

  test('the API key is printed alone on its line, and a rotated one is another', async () => {
    const first = new Terminal();
    await apiKeyCommand(place, first);
    const second = new Terminal();
    await apiKeyCommand(['--rotate', ...place], second);
    expect(first.out).toMatch(/^[\w-]{43}\n$/);
    expect(second.out).toMatch(/^[\w-]{43}\n$/);
    expect(second.out).not.toBe(first.out);
  });
});

describe('the account that sign-out is told', () => {
  const accounts = [
    { accountId: 'acc_1', displayName: '@bot' },
    { accountId: 'acc_2', displayName: '@bot' },
    { accountId: 'acc_3', displayName: 'acc_2' },
  ];

  test('a name that several accounts have is refused with their ids', () => {
    expect(() => idOf(accounts, '@bot')).toThrow(/acc_1, acc_2/);
    expect(() => idOf(accounts, '@bot')).toThrow(CliError);
  });

  test('an id means its account, whoever else is called so', () => {
    expect(idOf(accounts, 'acc_2')).toBe('acc_2');
  });
});

describe('without a host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'host-cli-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('commands that need one say so', async () => {
    await expect(accountsCommand(['--data-dir', folder], new Terminal())).rejects.toMatchObject({
      exitCode: ExitCode.failed,
      message: expect.stringContaining('No connector host runs on'),
    });
  });

  test('doctor looks at everything else, names what is broken with what to do, and ends with 1', async () => {
    const io = new Terminal();
    const config = join(folder, 'doctor.json');
    writeFileSync(
      config,
      JSON.stringify({
        server: { port: 0 },
        secrets: { store: 'file' },
        // Port 9 of this machine: nobody listens.
        connectors: { telegram: { apiRoot: 'http://127.0.0.1:9' } },
      }),
    );
    const code = await doctorCommand(['--json', '--config', config, '--data-dir', folder], io);
    const { ok, checks } = JSON.parse(io.out) as {
      ok: boolean;
      checks: { check: string; status: string; todo: string }[];
    };
    expect([code, ok]).toEqual([ExitCode.failed, false]);
    expect(Object.fromEntries(checks.map(({ check, status }) => [check, status]))).toMatchObject({
      port: 'ok',
      'secret file': 'broken',
      clock: 'ok',
      // Nobody was ever signed in there.
      telegram: 'warn',
      accounts: 'warn',
    });
    expect(checks.filter(({ status, todo }) => status !== 'ok' && todo === '')).toEqual([]);
  });
});
