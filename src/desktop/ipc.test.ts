import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShellParams, type Answer, type WindowState } from '../bridge/index.js';
import { paramsChecker } from '../host/checked-params.js';
import { CommandError } from '../host/command-error.js';
import { createCommands } from '../host/commands.js';
import type { Host } from '../host/index.js';
import { CHANNELS } from './channels.js';
import { isTrusted, serveIpc, type IpcParts } from './ipc.js';
import { PAGE_URL } from './page-address.js';

type Handler = (event: unknown, ...args: unknown[]) => Promise<Answer>;

const page = { isDestroyed: () => false };
const frame = { url: PAGE_URL, parent: null };

/** What listens on the channels, with a host that carries nothing out. */
function served(over: Partial<IpcParts> = {}): Map<string, Handler> {
  const handlers = new Map<string, Handler>();
  const execute: Host['execute'] = () => Promise.reject(new CommandError('reached', 'it got through'));
  const parts = {
    contents: () => page,
    host: () => ({ execute }),
    state: () => ({}) as WindowState,
    shell: async (command: keyof typeof ShellParams, params: unknown) => paramsChecker(ShellParams)(command, params),
    log: () => undefined,
    ...over,
  } as unknown as IpcParts;
  serveIpc({ handle: (name: string, fn: Handler) => handlers.set(name, fn) } as never, parts);
  return handlers;
}

describe('whom the main process hears (E6)', () => {
  it.each([
    ['the page itself', { sender: page, senderFrame: frame }, true],
    ['a frame that is gone', { sender: page, senderFrame: null }, false],
    ['a frame inside the page', { sender: page, senderFrame: { url: PAGE_URL, parent: frame } }, false],
    ['another address', { sender: page, senderFrame: { url: 'https://window/index.html', parent: null } }, false],
    [
      'an address that looks like ours',
      { sender: page, senderFrame: { url: 'xagent://window.evil/', parent: null } },
      false,
    ],
    ['another page', { sender: {}, senderFrame: frame }, false],
  ])('%s', (_name, event, isHeard) => {
    expect(isTrusted(event, page as never)).toBe(isHeard);
  });

  it('nobody once the window is gone', () => {
    const event = { sender: page, senderFrame: frame };
    expect(isTrusted(event, undefined)).toBe(false);
    expect(isTrusted({ ...event, sender: { isDestroyed: () => true } }, { isDestroyed: () => true } as never)).toBe(
      false,
    );
  });

  it('on every channel', async () => {
    const handlers = served();
    expect([...handlers.keys()].sort()).toEqual([CHANNELS.call, CHANNELS.shell, CHANNELS.state].sort());
    const stranger = { sender: page, senderFrame: { url: 'https://evil.example/', parent: null } };
    for (const channel of [CHANNELS.call, CHANNELS.shell]) {
      expect(await handlers.get(channel)!(stranger, 'quit', {})).toMatchObject({ error: { code: 'untrusted_sender' } });
    }
    await expect(handlers.get(CHANNELS.state)!(stranger)).rejects.toMatchObject({ code: 'untrusted_sender' });
  });
});

describe('what it takes (E7)', () => {
  const event = { sender: page, senderFrame: frame };
  const execute = createCommands({} as never);

  it('answers 200 wrong shapes with a refusal and throws at none', async () => {
    const handlers = served({ host: () => ({ execute }) as unknown as Host });
    const command = fc.oneof(
      fc.string(),
      fc.anything(),
      fc.constantFrom(...Object.keys(ShellParams), 'sign-in', 'discard'),
    );
    // Every command that takes something takes an object of known keys: none of these is one.
    const params = fc.oneof(
      fc.array(fc.anything(), { minLength: 1 }),
      fc.string(),
      fc.double(),
      fc.boolean(),
      fc.dictionary(
        fc.string({ minLength: 1 }).map((key) => `unknown-${key}`),
        fc.anything(),
        { minKeys: 1 },
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(CHANNELS.call, CHANNELS.shell),
        command,
        params,
        async (channel, name, given) => {
          const answer = await handlers.get(channel)!(event, name, given);
          expect(answer).toMatchObject({
            error: { code: expect.stringMatching(/^(unknown_command|invalid_params)$/) },
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('takes any passphrase for the encrypted file but none: one made without a window may be short', async () => {
    const shell = served().get(CHANNELS.shell)!;
    expect(await shell(event, 'use-secret-file', { passphrase: 'p' })).not.toHaveProperty('error');
    expect(await shell(event, 'use-secret-file', { passphrase: '' })).toMatchObject({
      error: { code: 'invalid_params' },
    });
  });

  it('offers no command whose answer is a secret', async () => {
    const handlers = served();
    for (const name of ['api-key', 'rotate-api-key', 'ui-link', '__proto__', 'constructor']) {
      expect(await handlers.get(CHANNELS.call)!(event, name, {})).toMatchObject({ error: { code: 'unknown_command' } });
    }
    expect(await handlers.get(CHANNELS.call)!(event, 'snapshot', {})).toMatchObject({ error: { code: 'reached' } });
  });

  it('says so while the host does not run, and keeps what went wrong inside to itself', async () => {
    const none = served({ host: () => undefined });
    expect(await none.get(CHANNELS.call)!(event, 'snapshot', {})).toMatchObject({
      error: { code: 'host_not_running' },
    });
    const broken = served({ shell: () => Promise.reject(new Error('a path and a token')) });
    const answer = await broken.get(CHANNELS.shell)!(event, 'quit', {});
    expect(answer).toMatchObject({ error: { code: 'internal_error' } });
    expect(JSON.stringify(answer)).not.toContain('token');
  });
});
