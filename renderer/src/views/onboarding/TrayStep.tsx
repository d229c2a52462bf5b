import type { ReactNode } from 'react';
import { useShellFacts } from '../../bridge/index.js';
import { CopyLine } from '../../components/CopyLine.js';
import { Icon } from '../../components/Icon.js';
import { LINK_COMMAND } from '../../shell/commands.js';
import { useWords } from '../../words/index.js';
import { AutostartRow } from '../settings/AutostartRow.js';
import { TrayPicture } from './TrayPicture.js';

/** Where the program goes when its window is closed, and whether it starts by itself. */
export function TrayStep(): ReactNode {
  const { t } = useWords();
  const { kind, tray, platform, autostart } = useShellFacts();
  if (kind === 'browser') return <InBrowser />;
  const atBottom = platform === 'win32';
  return (
    <>
      {tray === 'none' ? (
        <>
          <div>
            <h1 tabIndex={-1}>{t('onboarding.tray.title_none')}</h1>
            <p className="lead">{t('onboarding.tray.lead_none')}</p>
          </div>
          {platform === 'linux' && <GnomeHint />}
        </>
      ) : (
        <>
          <div>
            <h1 tabIndex={-1}>{atBottom ? t('onboarding.tray.title_bottom') : t('onboarding.tray.title')}</h1>
            <p className="lead">{t('onboarding.tray.lead')}</p>
          </div>
          <TrayPicture
            atBottom={atBottom}
            label={atBottom ? t('onboarding.tray.picture_bottom') : t('onboarding.tray.picture')}
          />
        </>
      )}
      {autostart.supported && (
        <div className="panel">
          <AutostartRow autostart={autostart} />
        </div>
      )}
    </>
  );
}

/** A browser's page can be closed as well; there is no tray of ours to find it in again, but a command. */
function InBrowser(): ReactNode {
  const { t } = useWords();
  return (
    <>
      <div>
        <h1 tabIndex={-1}>{t('onboarding.tray.title_browser')}</h1>
        <p className="lead">{t('onboarding.tray.lead_browser')}</p>
      </div>
      <div className="panel">
        <div className="set">
          <div className="grow">
            <p className="help">{t('onboarding.tray.link')}</p>
            <CopyLine label={t('session.command')} text={LINK_COMMAND} />
          </div>
        </div>
      </div>
    </>
  );
}

function GnomeHint(): ReactNode {
  const { t } = useWords();
  return (
    <div className="banner">
      <Icon name="info" />
      <div className="grow">
        <b>{t('onboarding.tray.gnome')}</b>
        <p>{t('onboarding.tray.gnome_text')}</p>
      </div>
    </div>
  );
}
