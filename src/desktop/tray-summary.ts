import {
  overallState,
  standingIn,
  type AccountSnapshot,
  type ConnectorSnapshot,
  type OverallState,
  type Standing,
  type WindowState,
} from '../bridge/index.js';
import { networkName, type Say, type WordKey, type WordValues } from './words/index.js';

/** One account with where it stands; a network without an account has one row too. */
export interface NetworkRow {
  readonly connector: ConnectorSnapshot;
  readonly account: AccountSnapshot | undefined;
  readonly standing: Standing | { readonly kind: 'not_connected' };
}

/** Every account of every network, and every network without one, in the host's own order. */
export function networkRows(state: WindowState): readonly NetworkRow[] {
  if (state.host.stage !== 'running') return [];
  const { snapshot } = state.host;
  return snapshot.connectors.flatMap((connector): NetworkRow[] =>
    connector.accounts.length === 0
      ? [{ connector, account: undefined, standing: { kind: 'not_connected' } }]
      : connector.accounts.map((account) => ({
          connector,
          account,
          standing: standingIn(snapshot, connector, account, state.shell.online),
        })),
  );
}

/** The whole app in one sign and one line. */
export interface Summary {
  readonly overall: OverallState;
  /** Behind `tray.` for the tooltip, behind `menu.` for the first line of the menu. */
  readonly line: SummaryLine;
  readonly values: WordValues;
}

type SummaryLine = WordKey extends infer K ? (K extends `tray.${infer Name}` ? Name : never) : never;

/** @param now Unix ms */
export function summarise(state: WindowState, say: Say, now: number): Summary {
  const overall = overallState(state, now);
  const [line, values] = lineOf(state, overall, say);
  return { overall, line, values };
}

function lineOf(state: WindowState, overall: OverallState, say: Say): readonly [SummaryLine, WordValues] {
  const { host } = state;
  if (host.stage === 'failed') return ['failed', {}];
  if (host.stage === 'stopping') return ['stopping', {}];
  if (host.stage !== 'running') return ['starting', {}];
  const { snapshot } = host;
  const rows = networkRows(state);
  switch (overall) {
    case 'attention': {
      if (snapshot.server.state === 'port_taken') return ['port_taken', { port: snapshot.server.port }];
      if (snapshot.storage.intakePaused !== undefined) return ['disk', {}];
      const row = rows.find(({ standing }) => standing.kind === 'needs_you' || standing.kind === 'refused');
      if (row === undefined) return ['secrets', {}];
      return ['needs_you', { network: networkName(say, row.connector.name, row.connector.label) }];
    }
    case 'offline':
      return state.shell.online ? ['nothing', {}] : ['no_network', {}];
    case 'busy': {
      if (snapshot.paused) return ['paused', {}];
      const count = rows.reduce((sum, { account }) => sum + (account?.queue.pending ?? 0), 0);
      return count > 0 ? ['waiting', { count }] : ['connecting', {}];
    }
    case 'ok':
      return ['receiving', { count: rows.filter(({ account }) => account !== undefined).length }];
  }
}
