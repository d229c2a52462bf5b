import type { ReactNode } from 'react';
import type { Snapshot, SettingsFacts } from '../../../../src/bridge/index.js';
import type { Read } from '../../bridge/use-read.js';
import { Section } from '../../components/Section.js';
import { Skeleton } from '../../components/Skeleton.js';
import { useWords } from '../../words/index.js';
import { HostsRow } from './HostsRow.js';
import { PortRow } from './PortRow.js';
import { ProxyRow } from './ProxyRow.js';
import { SettingsUnread } from './SettingsUnread.js';

interface ServerProps {
  readonly settings: Read<SettingsFacts>;
  readonly server: Snapshot['server'];
  readonly connectors: Snapshot['connectors'];
}

/** Where agents connect, and under which names; what is changed applies at once. And which way the networks are reached. */
export function Server({ settings: { value, refusal, again }, server, connectors }: ServerProps): ReactNode {
  const { t } = useWords();
  return (
    <Section title={t('settings.server.title')}>
      {value === undefined && refusal === undefined && <Skeleton shape="rows" rows={2} />}
      {value === undefined && refusal !== undefined && <SettingsUnread refusal={refusal} onAgain={again} />}
      {value !== undefined && (
        <div className="panel">
          <PortRow key={value.port} port={value.port} server={server} onChanged={again} />
          <HostsRow names={value.allowedHosts} onChanged={again} />
          <ProxyRow connectors={connectors} />
        </div>
      )}
    </Section>
  );
}
