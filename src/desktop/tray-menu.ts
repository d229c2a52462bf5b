import type { Place, WindowState } from '../bridge/index.js';
import { networkRows, type NetworkRow, type Summary } from './tray-summary.js';
import { isKey, networkName, type Say } from './words/index.js';

/** What an entry of the tray's menu does. */
export type TrayAction =
  | { readonly do: 'open'; readonly place: Place | undefined }
  | { readonly do: 'sign-out'; readonly accountId: string; readonly network: string }
  | { readonly do: 'wake' }
  | { readonly do: 'copy'; readonly text: string }
  | { readonly do: 'pause'; readonly paused: boolean }
  | { readonly do: 'quit' };

/** The menu as plain values: what it says, and what happens. */
export type MenuEntry =
  | { readonly kind: 'line' }
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'action'; readonly label: string; readonly action: TrayAction }
  | { readonly kind: 'submenu'; readonly label: string; readonly entries: readonly MenuEntry[] };

/** The whole menu for a state: state line, networks, base URLs, pause, open, quit. */
export function trayMenu(state: WindowState, summary: Summary, say: Say): readonly MenuEntry[] {
  const rows = networkRows(state);
  const networks = rows.map((row): MenuEntry => networkEntry(row, rows, say));
  const running: readonly MenuEntry[] =
    state.host.stage !== 'running'
      ? []
      : [
          {
            kind: 'submenu',
            label: say('menu.copy_url'),
            entries: state.host.snapshot.connectors.map(({ name, label, baseUrl }) => ({
              kind: 'action',
              label: networkName(say, name, label),
              action: { do: 'copy', text: baseUrl },
            })),
          },
          {
            kind: 'action',
            label: say(state.host.snapshot.paused ? 'menu.resume' : 'menu.pause'),
            action: { do: 'pause', paused: !state.host.snapshot.paused },
          },
          { kind: 'line' },
        ];
  return [
    { kind: 'text', label: say(`menu.${summary.line}`, summary.values) },
    { kind: 'line' },
    ...networks,
    ...(networks.length === 0 ? [] : [{ kind: 'line' } as const]),
    ...running,
    { kind: 'action', label: say('menu.open'), action: { do: 'open', place: undefined } },
    { kind: 'action', label: say('menu.quit'), action: { do: 'quit' } },
  ];
}

function networkEntry(row: NetworkRow, rows: readonly NetworkRow[], say: Say): MenuEntry {
  const { connector, account, standing } = row;
  const network = networkName(say, connector.name, connector.label);
  const count = account?.queue.pending ?? 0;
  const state = say(`state.${standing.kind}`, { count });
  const alone = rows.filter((other) => other.connector === connector).length === 1;
  const label = alone
    ? say('menu.account', { network, state })
    : say('menu.account_named', { network, name: account?.displayName ?? '', state });
  const entries: MenuEntry[] = [{ kind: 'text', label: reasonOf(row, network, say) }];
  const signIn = (again: boolean): MenuEntry => ({
    kind: 'action',
    label: say(again ? 'menu.sign_in_again' : 'menu.sign_in'),
    action: { do: 'open', place: { view: 'connect', connector: connector.name } },
  });
  if (account === undefined) return { kind: 'submenu', label, entries: [...entries, signIn(false)] };
  switch (standing.kind) {
    case 'needs_you':
    case 'refused':
      entries.push(standing.signIn ? signIn(true) : tryNow(say));
      break;
    case 'retrying':
    case 'locked':
      entries.push(tryNow(say));
      break;
    default:
  }
  const place: Place =
    standing.kind === 'holding' ? { view: 'messages', accountId: account.accountId } : { view: 'accounts' };
  entries.push({ kind: 'action', label: say('menu.details'), action: { do: 'open', place } });
  entries.push({
    kind: 'action',
    label: say('menu.sign_out'),
    action: { do: 'sign-out', accountId: account.accountId, network },
  });
  return { kind: 'submenu', label, entries };
}

function tryNow(say: Say): MenuEntry {
  return { kind: 'action', label: say('menu.try_now'), action: { do: 'wake' } };
}

/** The sentence for a code that has one of its own, else that of the standing. */
function reasonOf({ account, standing }: NetworkRow, network: string, say: Say): string {
  const code = 'code' in standing ? `reason.${standing.code}` : '';
  const key = isKey(code) ? code : (`reason.${standing.kind}` as const);
  return say(key, { network, count: account?.queue.pending ?? 0 });
}
