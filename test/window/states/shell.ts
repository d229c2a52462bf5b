import type { ShellFacts, Snapshot, WindowState } from '../../../src/bridge/index.js';
import { account } from '../fixtures/accounts.js';
import { connector } from '../fixtures/networks.js';
import { allWell, snapshot } from '../fixtures/snapshot.js';
import { running, withHost } from '../fixtures/window-state.js';
import { HOUR, MINUTE, NOW, SECOND, type WindowCase } from '../support/window-case.js';

/** What concerns the whole app, over Accounts. */
function state(name: string, given: WindowState, act?: WindowCase['act']): WindowCase {
  return { view: 'shell', name, hash: '#/accounts', state: given, ...(act && { act }) };
}

const locked = (code: string): ReturnType<typeof allWell> => ({
  wechat: [account('wechat', { state: { status: 'offline', code, since: NOW - MINUTE } })],
  telegram: [account('telegram', { state: { status: 'offline', code, since: NOW - MINUTE } })],
});

function withSecrets(
  secrets: Partial<Snapshot['secrets']>,
  code: string,
  shell: Partial<ShellFacts> = {},
): WindowState {
  return running(
    snapshot(locked(code), {
      secrets: { kind: 'keychain', state: 'locked', code: undefined, since: NOW - MINUTE, ...secrets },
    }),
    shell,
  );
}

const someStorage: Snapshot['storage'] = { damagedSetAsideAs: undefined, intakePaused: undefined, freeBytes: 412_000 };

/** What a sign-in that an agent began asks. */
export const QUESTION = { authSessionId: 'auth_9', code: 'verify_code', fields: ['verify_code'] } as const;

export const shellCases: readonly WindowCase[] = [
  state('keychain-absent', withSecrets({ state: 'absent', code: 'keychain_library_missing' }, 'secrets_absent')),
  state(
    'keychain-absent-browser',
    withSecrets({ state: 'absent', code: 'keychain_absent' }, 'secrets_absent', { kind: 'browser', tray: 'none' }),
  ),
  state('keychain-failed', withSecrets({ state: 'failed', code: 'timeout' }, 'secrets_failed')),
  state('weaker-storage', withSecrets({ state: 'absent' }, 'secrets_absent'), async (page) => {
    await page.locator('.banner .btn').last().click();
    await page.locator('dialog input').first().fill('short');
    await page.locator('dialog [type=submit]').click();
  }),
  state('passphrase', withSecrets({ kind: 'file', code: 'wrong_passphrase' }, 'secrets_locked'), (page) =>
    page.locator('.banner .btn').first().click(),
  ),
  state(
    'disk-full',
    running(
      snapshot(
        {
          wechat: [account('wechat', { state: { status: 'degraded', code: 'store_disk_full', since: NOW - MINUTE } })],
        },
        { storage: { ...someStorage, intakePaused: 'store_disk_full' } },
      ),
    ),
  ),
  state(
    'store-damaged',
    running(
      snapshot(allWell(), {
        storage: {
          ...someStorage,
          damagedSetAsideAs: '/home/ada/.local/share/xagent-connector/damaged/20261130T143004Z/connector.db',
        },
      }),
    ),
  ),
  state(
    'agent-asks',
    running(snapshot({}, { connectors: [connector('wechat', { questions: [QUESTION] }), connector('telegram')] })),
  ),
  state('host-failed', withHost({ stage: 'failed', code: 'data_dir_locked', message: '', since: NOW - 4 * SECOND })),
  state(
    'host-needs-passphrase',
    withHost({ stage: 'failed', code: 'passphrase_needed', message: '', since: NOW - 4 * SECOND }),
  ),
  state(
    'unreachable',
    withHost({ stage: 'unreachable', last: snapshot(allWell()), since: NOW - 2 * MINUTE }, { kind: 'browser' }),
  ),
  state('stopping', withHost({ stage: 'stopping', since: NOW - SECOND })),
  state('toast', running(snapshot(allWell())), async (page) => {
    await page.locator('[aria-haspopup=menu]').first().click();
    await page.getByRole('menuitem').first().click();
    // It stays while it is pointed at.
    await page.locator('.toast').hover();
  }),
  {
    view: 'shell',
    name: 'browser',
    hash: '#/accounts',
    state: running(
      snapshot(
        {
          wechat: [account('wechat', { createdAt: NOW - 2 * HOUR })],
          telegram: [account('telegram', { state: { status: 'offline', code: 'webhook_active', since: NOW - HOUR } })],
        },
        { secrets: { kind: 'keychain', state: 'locked', code: 'keychain_locked', since: NOW - MINUTE } },
      ),
      { kind: 'browser', tray: 'none' },
    ),
  },
];
