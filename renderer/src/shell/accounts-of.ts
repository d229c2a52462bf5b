import type { AccountSnapshot, ConnectorSnapshot, Snapshot } from '../../../src/bridge/index.js';
import { type Standing, standingOf } from '../../../src/bridge/standing.js';

export interface AccountRow {
  readonly connector: ConnectorSnapshot;
  readonly account: AccountSnapshot;
  readonly standing: Standing;
}

/** The path of the connector that is the local chat. */
export const LOCAL = 'local';

/** Every account with how it stands, in the order of the networks and of their beginning: rows stay where they are. */
export function accountsOf(snapshot: Snapshot, online: boolean): readonly AccountRow[] {
  const { paused } = snapshot;
  return snapshot.connectors.flatMap((connector) =>
    [...connector.accounts]
      .sort((one, other) => one.createdAt - other.createdAt)
      .map((account) => ({
        connector,
        account,
        standing: standingOf(account, { paused, online, local: connector.name === LOCAL }),
      })),
  );
}
