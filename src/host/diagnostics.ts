import type { BundleFacts, Finding, SecretsSnapshot, Snapshot } from '../bridge/index.js';
import type { Connector } from '../connector/connector.js';
import { buildBundle } from './bundle.js';
import { examine } from './doctor/index.js';
import type { Foundation } from './foundation.js';
import { readSettings } from './settings.js';
import type { SettingsKeeper } from './settings-keeper.js';
import { readVault, secretNames } from './vault.js';
import type { WaysOut } from './ways-out.js';

interface DiagnosticsParts extends Pick<
  Foundation,
  'dataDir' | 'redactor' | 'registry' | 'store' | 'secrets' | 'clock' | 'log'
> {
  readonly settings: Pick<SettingsKeeper, 'effective'>;
  readonly connectors: readonly Connector[];
  readonly snapshot: () => Snapshot;
  /** Asks the secret store anew how it is. */
  readonly checkSecrets: () => Promise<SecretsSnapshot>;
  readonly waysOut: WaysOut;
}

/** What a running host says about itself: the doctor's findings, and a bundle of everything for somebody else. */
export function createDiagnostics(parts: DiagnosticsParts): {
  doctor(): Promise<Finding[]>;
  bundle(): Promise<BundleFacts>;
} {
  const { dataDir, settings, clock, snapshot, checkSecrets, connectors, store, secrets, waysOut } = parts;

  const doctor = (): Promise<Finding[]> =>
    examine({
      dataDir,
      effective: settings.effective,
      settings: readSettings(dataDir),
      running: snapshot(),
      secrets: checkSecrets,
      waysOut,
      now: clock.now(),
    });

  return {
    doctor,
    async bundle() {
      const findings = await doctor();
      const vaultRead = await readVault(secrets, secretNames(store.sql)).then(
        () => true,
        () => false,
      );
      return buildBundle({
        ...parts,
        effective: settings.effective,
        snapshot: snapshot(),
        identities: connectors.flatMap((connector) => connector.accounts().map(({ identity }) => identity)),
        findings,
        vaultRead,
        now: clock.now(),
      });
    },
  };
}
