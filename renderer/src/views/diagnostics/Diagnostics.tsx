import type { ReactNode } from 'react';
import { useSnapshot } from '../../bridge/index.js';
import { PageBody } from '../../components/PageBody.js';
import { PageHead } from '../../components/PageHead.js';
import { WaitingForHost } from '../../components/WaitingForHost.js';
import { useWords } from '../../words/index.js';
import { SettingsNav } from '../settings/SettingsNav.js';
import { Checks } from './Checks.js';
import { Report } from './Report.js';

/** What is wrong and what to do about it, and a report that can be shown to others. */
export function Diagnostics(): ReactNode {
  const { t } = useWords();
  const snapshot = useSnapshot();
  return (
    <>
      <PageHead title={t('diagnostics.title')} actions={<SettingsNav page="diagnostics" />} />
      <PageBody>
        {snapshot === undefined ? (
          <WaitingForHost shape="rows" rows={6} />
        ) : (
          <>
            <Checks connectors={snapshot.connectors} />
            <Report />
          </>
        )}
      </PageBody>
    </>
  );
}
