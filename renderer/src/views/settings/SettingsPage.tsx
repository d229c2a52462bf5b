import type { ReactNode } from 'react';
import { useShellFacts, useSnapshot } from '../../bridge/index.js';
import { useSettingsFacts } from '../../bridge/use-settings-facts.js';
import { PageBody } from '../../components/PageBody.js';
import { PageHead } from '../../components/PageHead.js';
import { useWords } from '../../words/index.js';
import { About } from './About.js';
import { General } from './General.js';
import { Notifications } from './Notifications.js';
import { Server } from './Server.js';
import { SettingsNav } from './SettingsNav.js';
import { Stored } from './Stored.js';

/** What a person may choose. What belongs to this window works though the host does not. */
export function SettingsPage(): ReactNode {
  const { t } = useWords();
  const snapshot = useSnapshot();
  const settings = useSettingsFacts();
  const onDesktop = useShellFacts().kind === 'desktop';
  return (
    <>
      <PageHead title={t('settings.title')} actions={<SettingsNav page="settings" />} />
      <PageBody>
        <General />
        {onDesktop && <Notifications />}
        {snapshot !== undefined && (
          <>
            <Server settings={settings} server={snapshot.server} connectors={snapshot.connectors} />
            <Stored settings={settings} snapshot={snapshot} />
          </>
        )}
        <About version={snapshot?.version} startedAt={snapshot?.startedAt} />
      </PageBody>
    </>
  );
}
