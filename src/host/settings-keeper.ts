import type { OnboardingStep, ParamsOf, SettingsFacts } from '../bridge/index.js';
import { isHostEntry, type Server } from '../server/index.js';
import { CommandError } from './command-error.js';
import type { ReadConfig } from './config.js';
import { effectiveConfig, type EffectiveConfig } from './effective-config.js';
import type { PortKeeper } from './port-keeper.js';
import { readSettings, writeSettings } from './settings.js';
import { storageUse } from './storage-use.js';

/** The settings of a running host: what a person changes takes effect at once and is kept for the next start. */
export class SettingsKeeper {
  #effective: EffectiveConfig;
  #onboarding: OnboardingStep;

  constructor(
    private readonly parts: {
      readonly dataDir: string;
      readonly read: ReadConfig;
      /** What the host started with. */
      readonly effective: EffectiveConfig;
      readonly port: Pick<PortKeeper, 'port' | 'move'>;
      readonly server: Pick<Server, 'allowHosts'>;
      /** Whether somebody was signed in when the host started. */
      readonly hasAccounts: boolean;
      readonly changed: () => void;
    },
  ) {
    this.#effective = parts.effective;
    // Who came by the command line, or from before there were steps, needs no introduction.
    this.#onboarding = readSettings(parts.dataDir).settings.onboarding ?? (parts.hasAccounts ? 'done' : 'tray');
  }

  /** What counts now, and where each of it comes from. */
  get effective(): EffectiveConfig {
    return this.#effective;
  }

  /** Where the first start stands. */
  get onboarding(): OnboardingStep {
    return this.#onboarding;
  }

  /** @throws StoreError when the disk refuses; nothing has changed then */
  async setOnboarding(step: OnboardingStep): Promise<void> {
    await writeSettings(this.parts.dataDir, { onboarding: step });
    this.#onboarding = step;
    this.parts.changed();
  }

  async facts(): Promise<SettingsFacts> {
    const { config } = this.#effective;
    const { dataDir, port } = this.parts;
    return {
      port: port.port,
      allowedHosts: config.server.allowedHosts,
      secretStore: config.secrets.store,
      storage: await storageUse(dataDir),
      filesLimit: config.files.maxTotalBytes,
      maxUploadBytes: config.files.maxUploadBytes,
      pendingTtlMs: config.delivery.ttlMs,
      dataDir,
    };
  }

  /**
   * A choice that can't be carried out is not kept, and one that can't be kept is not carried out.
   * @throws CommandError `invalid_host`, `port_in_use`, `port_forbidden`; StoreError when the disk refuses
   */
  async change({ port, allowedHosts }: ParamsOf<'set-settings'>): Promise<SettingsFacts> {
    const wrong = allowedHosts?.find((entry) => !isHostEntry(entry));
    if (wrong !== undefined) throw new CommandError('invalid_host', `${wrong} is no host name`);
    const { dataDir, server, read } = this.parts;
    const keep = async (): Promise<void> => {
      await writeSettings(dataDir, {
        ...(port !== undefined && { port }),
        ...(allowedHosts !== undefined && { allowedHosts }),
      });
    };
    if (port === undefined) await keep();
    else await this.parts.port.move(port, keep);
    if (allowedHosts !== undefined) server.allowHosts(allowedHosts);
    const { config, sources } = this.#effective;
    // What the command line said counts until the person moves the port itself.
    const flags = port === undefined && sources.port === 'flag' ? { port: config.server.port } : {};
    this.#effective = effectiveConfig(read, readSettings(dataDir).settings, flags);
    this.parts.changed();
    return this.facts();
  }
}
