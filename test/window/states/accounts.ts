import { account } from '../fixtures/accounts.js';
import { waiting } from '../fixtures/accounts.js';
import { allWell, behindProxy, snapshot, withoutAgent } from '../fixtures/snapshot.js';
import { running, withHost } from '../fixtures/window-state.js';
import { HOUR, MINUTE, NOW, SECOND, type WindowCase } from '../support/window-case.js';
import type { AccountSnapshot, Snapshot, WindowState } from '../../../src/bridge/index.js';

const hash = '#/accounts';

function state(name: string, state_: WindowState, over: Partial<WindowCase> = {}): WindowCase {
  return { view: 'accounts', name, hash, state: state_, ...over };
}

const mixed: Snapshot = snapshot(
  allWell({
    wechat: [account('wechat', { activity: { status: 'thinking', since: NOW - 8 * SECOND } })],
    telegram: [
      account('telegram', {
        state: { status: 'offline', code: 'polled_elsewhere', since: NOW - 32 * MINUTE },
        lastRoundTripAt: NOW - 32 * MINUTE,
        pulse: `aaa${'n'.repeat(27)}`,
        ...waiting(3, 54 * MINUTE),
      }),
    ],
    feishu: [
      account('feishu', {
        activity: { status: 'tool', toolName: 'web_search', since: NOW - 3 * SECOND },
        lastRoundTripAt: NOW - 4 * SECOND,
        ...waiting(1, 3 * MINUTE),
      }),
    ],
    xmpp: [
      account('xmpp', {
        state: { status: 'offline', code: 'unreachable', since: NOW - 2 * MINUTE, retryAt: NOW + 24 * SECOND },
        lastRoundTripAt: NOW - 2 * MINUTE,
        pulse: `${'a'.repeat(27)}lnn`,
      }),
    ],
    local: [account('local', { lastRoundTripAt: NOW - SECOND })],
  }),
);

const well = allWell();
const everywhere = (over: Partial<AccountSnapshot>): typeof well =>
  Object.fromEntries(
    Object.entries(well).map(([name, list]) => [
      name,
      name === 'local' ? list : list.map((one) => ({ ...one, ...over })),
    ]),
  );

const stopped = (code: string): AccountSnapshot['state'] => ({
  status: 'offline',
  code,
  since: NOW - 2 * MINUTE,
  retryAt: NOW + 6 * SECOND,
});

export const accountsCases: readonly WindowCase[] = [
  state('mixed', running(mixed)),
  state('well', running(snapshot(well))),
  state('proxy-down', running(behindProxy(snapshot(everywhere({ state: stopped('proxy_unreachable') }))))),
  state(
    'replies',
    running(
      snapshot({
        wechat: [
          account('wechat', { replyWindow: { remaining: 2, limit: 10, until: NOW + 5 * HOUR } }),
          account('wechat', {
            accountId: 'acc_wechat_2',
            displayName: '阿禾',
            createdAt: NOW - HOUR,
            replyWindow: { remaining: 0, limit: 10, until: NOW + 5 * HOUR },
            queue: { ...waiting(0, 0).queue, oldestReceivedAt: undefined, heldReplies: 3 },
          }),
        ],
      }),
    ),
  ),
  state(
    'no-agent',
    running(
      withoutAgent({
        wechat: [account('wechat', waiting(4, 22 * MINUTE))],
        feishu: [account('feishu', waiting(1, 3 * MINUTE))],
        xmpp: [account('xmpp')],
      }),
    ),
  ),
  state(
    'signed-out',
    running(
      snapshot(
        allWell({
          wechat: [
            account('wechat', {
              state: { status: 'expired', code: 'signed_out', since: NOW - 74 * MINUTE },
              lastRoundTripAt: NOW - 74 * MINUTE,
              pulse: 'n'.repeat(30),
              replyWindow: undefined,
              ...waiting(2, 80 * MINUTE),
            }),
          ],
          telegram: [account('telegram', { state: { status: 'revoked', code: 'token_revoked', since: NOW - HOUR } })],
          feishu: [account('feishu', { state: { status: 'error', code: 'permission_missing', since: NOW - HOUR } })],
          xmpp: [account('xmpp', { state: { status: 'offline', code: 'connecting', since: NOW - 2 * SECOND } })],
        }),
      ),
    ),
  ),
  state(
    'locked',
    running(
      snapshot(
        everywhere({
          state: { status: 'offline', code: 'secrets_locked', since: NOW - 8 * MINUTE },
          lastRoundTripAt: NOW - 8 * MINUTE,
          pulse: `${'a'.repeat(22)}${'n'.repeat(8)}`,
        }),
        { secrets: { kind: 'keychain', state: 'locked', code: 'keychain_locked', since: NOW - 8 * MINUTE } },
      ),
    ),
  ),
  state(
    'port-taken',
    running(
      withoutAgent(
        { wechat: [account('wechat', waiting(4, 22 * MINUTE))], telegram: [account('telegram')] },
        {
          server: {
            state: 'port_taken',
            port: 19080,
            holder: { name: 'node', pid: 48213 },
            suggestedPort: 19081,
            since: NOW - 2 * MINUTE,
          },
        },
      ),
    ),
  ),
  state(
    'offline',
    running(
      snapshot(
        everywhere({
          state: { status: 'offline', code: 'unreachable', since: NOW - 8 * MINUTE, retryAt: NOW + 30 * SECOND },
          lastRoundTripAt: NOW - 8 * MINUTE,
          pulse: `${'a'.repeat(22)}${'n'.repeat(8)}`,
        }),
      ),
      { online: false },
    ),
  ),
  state(
    'paused',
    running(snapshot(allWell({ wechat: [account('wechat', waiting(2, 5 * MINUTE))] }), { paused: true })),
  ),
  state('empty', running(withoutAgent({}))),
  state('loading', withHost({ stage: 'starting', since: NOW - SECOND }), {
    act: (page) => page.locator('.ghost').first().waitFor(),
  }),
  state('menu', running(mixed), {
    act: (page) => page.locator('[aria-haspopup=menu]').first().click(),
  }),
  state('how-to-fix', running(mixed), {
    act: (page) => page.locator('button[aria-expanded]:not([aria-haspopup])').first().click(),
  }),
  state('sign-out', running(snapshot(well)), {
    act: async (page) => {
      await page.locator('[aria-haspopup=menu]').first().click();
      await page.getByRole('menuitem').last().click();
    },
  }),
];
