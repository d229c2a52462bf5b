import type { AccountSnapshot, ConnectorSnapshot, Snapshot } from '../../../src/bridge/index.js';
import { type Standing, standingIn } from '../../../src/bridge/standing.js';

export { LOCAL } from '../../../src/bridge/standing.js';

export interface AccountRow {
  readonly connector: ConnectorSnapshot;
  readonly account: AccountSnapshot;
  readonly standing: Standing;
  /** Where its sign-in lies. */
  readonly keptIn: Snapshot['secrets']['kind'];
}

/** Every account with how it stands, in the order of the networks and of their beginning: rows stay where they are. */
export function accountsOf(snapshot: Snapshot, online: boolean): readonly AccountRow[] {
  return snapshot.connectors.flatMap((connector) =>
    [...connector.accounts]
      .sort((one, other) => one.createdAt - other.createdAt)
      .map((account) => ({
        connector,
        account,
        standing: standingIn(snapshot, connector, account, online),
        keptIn: snapshot.secrets.kind,
      })),
  );
}
